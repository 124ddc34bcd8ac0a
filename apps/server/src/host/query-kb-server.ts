import { ToolFailure, type KnowledgeHit } from '@lamb/plugin-kit';
import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { OutboundLimitError } from '../outbound/outbound-limit-error.ts';
import { OutboundRefusedError } from '../outbound/outbound-refused-error.ts';
import { TargetPaused } from '../resilience/target-paused.ts';
import { fromKbReply } from './from-kb-reply.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 5 * 1024 * 1024;

interface KbQuery {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly collection: string;
  readonly query: string;
  readonly topK: number;
  readonly threshold: number;
  readonly fetch: OutboundFetch;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** Searches one collection of an organisation's knowledge-base server. What goes wrong is said without naming the server. */
export async function queryKbServer(input: KbQuery): Promise<KnowledgeHit[]> {
  const { baseUrl, collection, topK, signal } = input;
  if (!/^[\w-]{1,100}$/.test(collection)) {
    throw new ToolFailure('A collection id is letters, digits, _ and -; the list of collections shows it.');
  }
  let reply: Response;
  try {
    reply = await ask(input);
  } catch (cause) {
    signal.throwIfAborted();
    throw new ToolFailure(`Collection ${collection} could not be queried: ${describeFailure(cause)}.`, { cause });
  }
  if (!reply.ok) {
    throw new ToolFailure(`Collection ${collection} could not be queried: ${describeStatus(reply.status)}.`);
  }
  try {
    return fromKbReply(await reply.json(), collection, baseUrl).slice(0, topK);
  } catch (cause) {
    throw new ToolFailure(
      `Collection ${collection} could not be queried: the knowledge-base server gave an answer that cannot be read.`,
      { cause },
    );
  }
}

async function ask(input: KbQuery): Promise<Response> {
  const { baseUrl, apiKey, collection, query, topK, threshold, fetch, signal, timeoutMs = TIMEOUT_MS } = input;
  return fetch(`${baseUrl.replace(/\/+$/, '')}/collections/${collection}/query?plugin_name=simple_query`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ query_text: query, top_k: topK, threshold, plugin_params: {} }),
    signal,
    timeoutMs,
    maxBytes: MAX_BYTES,
  });
}

function describeFailure(cause: unknown): string {
  if (cause instanceof OutboundRefusedError) {
    return "the knowledge-base server's address is not allowed; an administrator of the organisation or the operator can change that";
  }
  if (cause instanceof OutboundLimitError) {
    return cause.limit === 'time'
      ? 'the knowledge-base server did not answer in time'
      : 'the answer of the knowledge-base server is too large';
  }
  if (cause instanceof TargetPaused) {
    return `the knowledge-base server is paused for ${String(cause.retryAfterSeconds)} seconds after repeated failures`;
  }
  return 'the knowledge-base server cannot be reached';
}

function describeStatus(status: number): string {
  if (status === 404) return 'the knowledge-base server has no such collection';
  if (status === 401 || status === 403) return "the knowledge-base server did not accept the organisation's key";
  return `the knowledge-base server answered with status ${String(status)}`;
}
