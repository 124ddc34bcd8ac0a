import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from '../http/listen.ts';
import { parseJson } from '../http/parse-json.ts';
import { readBody } from '../http/read-body.ts';
import { readObject } from '../http/read-json.ts';
import { sendJson } from '../http/send-json.ts';
import { answerKbRequest, type HitsKey } from './answer-kb-request.ts';
import { createKbStore, type KbDocument } from './create-kb-store.ts';
import { applyFault, takeFault, type KbFault } from './kb-fault.ts';

export interface KbServerOptions {
  /** Default: a free one. */
  port?: number;
  /** The bearer token. Default: `kb-token`. */
  token?: string;
  /** What a query calls its hits. Default `results`. */
  hitsKey?: HitsKey;
}

export interface KbRequestRecord {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  /** Parsed JSON; undefined for an upload. */
  body: unknown;
  receivedAt: number;
  /** The client closed its connection before it had an answer. */
  closedEarlyAt?: number;
}

export interface KbServer {
  url: string;
  token: string;
  requests: KbRequestRecord[];
  /** Makes a collection with these texts and returns its id. */
  addCollection(name: string, documents?: KbDocument[]): number;
  /** Adds faults to the queue. Each request meets the first that fits. */
  fail(...faults: KbFault[]): void;
  /** Forgets faults and requests, keeps collections. */
  reset(): void;
  stop(): Promise<void>;
}

/** Starts a knowledge-base server with real, if naive, retrieval. */
export async function startKbServer(options: KbServerOptions = {}): Promise<KbServer> {
  const token = options.token ?? 'kb-token';
  const hitsKey = options.hitsKey ?? 'results';
  const store = createKbStore();
  const requests: KbRequestRecord[] = [];
  const faults: KbFault[] = [];

  const reset = (): void => {
    requests.length = 0;
    faults.length = 0;
  };

  const control = (path: string, body: Buffer, response: ServerResponse): void => {
    if (path === '/__fail') {
      const parsed = parseJson(body.toString());
      faults.push(...(Array.isArray(parsed) ? parsed : [parsed]).map((each) => readObject(each) as KbFault));
      sendJson(response, 200, { queued: faults.length });
    } else if (path === '/__requests') {
      sendJson(response, 200, requests);
    } else if (path === '/__reset') {
      reset();
      sendJson(response, 200, {});
    } else {
      sendJson(response, 404, { detail: `No ${path}; there are /__fail, /__requests and /__reset.` });
    }
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const receivedAt = Date.now();
    const origin = `http://${incoming.headers.host ?? '127.0.0.1'}`;
    const url = new URL(incoming.url ?? '/', origin);
    const body = await readBody(incoming);
    const method = incoming.method ?? '';
    const path = url.pathname.replace(/(?<=.)\/$/, '');
    if (path.startsWith('/__')) {
      control(path, body, response);
      return;
    }
    const contentType = incoming.headers['content-type'] ?? '';
    const record: KbRequestRecord = {
      method,
      path,
      query: Object.fromEntries(url.searchParams),
      headers: incoming.headers,
      body: contentType.startsWith('multipart/') ? undefined : parseJson(body.toString()),
      receivedAt,
    };
    requests.push(record);
    response.on('close', () => {
      if (!response.writableFinished) record.closedEarlyAt = Date.now();
    });
    const fault = takeFault(faults, path);
    if (fault !== undefined && !(await applyFault(fault, response))) return;
    if (path !== '/health' && incoming.headers.authorization !== `Bearer ${token}`) {
      sendJson(response, 401, { detail: 'Invalid authentication token' }, { 'www-authenticate': 'Bearer' });
      return;
    }
    const request = { method, path, query: url.searchParams, contentType, body, origin };
    const answer = await answerKbRequest(store, request, hitsKey);
    sendJson(response, answer.status, answer.body);
  };

  const server = await listen((incoming, response) => {
    // A client that has gone away leaves nobody to answer.
    handle(incoming, response).catch(() => response.destroy());
  }, options.port);
  return {
    ...server,
    token,
    requests,
    addCollection(name, documents = []) {
      const collection = store.addCollection(name);
      store.addDocuments(collection, documents);
      return collection.id;
    },
    fail: (...added) => void faults.push(...added),
    reset,
  };
}
