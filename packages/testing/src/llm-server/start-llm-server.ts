import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from '../http/listen.ts';
import { parseJson } from '../http/parse-json.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson } from '../http/send-json.ts';
import { answerRequest, type AnswerOptions } from './answer-request.ts';
import { createEmbeddingCounter } from './create-embedding-counter.ts';
import { createPacer } from './create-pacer.ts';
import type { LlmReply } from './llm-reply.ts';
import { takeReply, type ScriptEntry } from './match-script.ts';
import { readArray } from '../http/read-json.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { routeRequest } from './route-request.ts';

export interface LlmServerOptions {
  /** Default: a free one. */
  port?: number;
  /** Refuse requests without this key, as the provider would. Ollama asks for none. */
  key?: string;
  models?: string[];
  /** The answer when no script fits. Default: ten numbered tokens. */
  defaultReply?: LlmReply;
}

export interface LlmServer {
  /** Without a path: OpenAI's base URL is `${url}/v1`, Anthropic's too, Gemini's `${url}/v1beta`, Ollama's `url` itself. */
  url: string;
  /** The last 10,000 requests, oldest first. */
  requests: RecordedRequest[];
  /** How often each text was embedded; a request repeated with its `Idempotency-Key` counts once. */
  embedded: ReadonlyMap<string, number>;
  /** Adds replies to the queue. Each request takes the first that fits. */
  script(...entries: ScriptEntry[]): void;
  /** Forgets scripts, requests and what was embedded. */
  reset(): void;
  stop(): Promise<void>;
}

const defaultModels = ['gpt-4o-mini', 'gpt-4o', 'llama3.2:latest', 'text-embedding-3-small', 'nomic-embed-text:latest'];
const keptRequests = 10_000;

/** Starts a model provider that says what the test wants, over real sockets. */
export async function startLlmServer(options: LlmServerOptions = {}): Promise<LlmServer> {
  const requests: RecordedRequest[] = [];
  const queue: ScriptEntry[] = [];
  const models = options.models ?? defaultModels;
  const defaultReply = options.defaultReply ?? { tokens: 10 };
  const answering: AnswerOptions = { pacer: createPacer(), key: options.key };
  const embeddings = createEmbeddingCounter();
  let serial = 0;

  const reset = (): void => {
    queue.length = 0;
    requests.length = 0;
    embeddings.reset();
  };

  const control = (request: RecordedRequest, response: ServerResponse): void => {
    if (request.path === '/__script') {
      const entries = Array.isArray(request.body) ? readArray(request.body) : [request.body];
      queue.push(...(entries as ScriptEntry[]));
      sendJson(response, 200, { queued: queue.length });
    } else if (request.path === '/__requests') {
      sendJson(response, 200, requests);
    } else if (request.path === '/__reset') {
      reset();
      sendJson(response, 200, {});
    } else {
      sendJson(response, 404, { error: `No ${request.path}; there are /__script, /__requests and /__reset.` });
    }
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await recordRequest(incoming, ++serial);
    if (request.path.startsWith('/__')) {
      control(request, response);
      return;
    }
    requests.push(request);
    if (requests.length > keptRequests) requests.shift();
    response.on('close', () => {
      if (response.writableFinished) request.finishedAt = Date.now();
      else if (request.cutByServer !== true) request.closedEarlyAt = Date.now();
    });
    const route = routeRequest(request.method, request.path, models);
    if (route === undefined) {
      sendJson(response, 404, { error: { message: `Unknown request URL: ${request.method} ${request.path}` } });
      return;
    }
    const reply = await (takeReply(queue, request, route.generates) ?? defaultReply);
    if (route.embeds && reply.faults?.status === undefined && reply.faults?.hangBeforeHeaders !== true) {
      embeddings.count(request);
    }
    answerRequest(route.format, reply, request, response, answering);
  };

  const server = await listen((incoming, response) => {
    // A client that goes away while it still sends its body leaves nobody to answer.
    handle(incoming, response).catch(() => response.destroy());
  }, options.port);
  return {
    ...server,
    requests,
    embedded: embeddings.times,
    reset,
    script: (...entries) => void queue.push(...entries),
  };
}

async function recordRequest(incoming: IncomingMessage, id: number): Promise<RecordedRequest> {
  const receivedAt = Date.now();
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const body = await readBody(incoming);
  return {
    id,
    method: incoming.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: Object.fromEntries(url.searchParams),
    headers: incoming.headers,
    body: parseJson(body.toString()),
    receivedAt,
    chunksSent: 0,
  };
}
