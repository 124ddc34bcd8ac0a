import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, type Listening } from './listen.ts';
import { parseJson } from './parse-json.ts';
import { readBody } from './read-body.ts';
import { readObject } from './read-json.ts';
import { sendJson } from './send-json.ts';
import { applyFault, takeFault, type ServerFault } from './server-fault.ts';

/** A request as the server that got it remembers it. */
export interface RequestRecord {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  /** Parsed JSON, or the text when it is no JSON; undefined for an upload. */
  body: unknown;
  receivedAt: number;
  /** The client closed its connection before it had an answer. */
  closedEarlyAt?: number;
}

/** A request that wants its proper answer. */
export interface FaultyRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** The server's own address, for links. */
  origin: string;
}

export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface FaultyServer extends Listening {
  requests: RequestRecord[];
  /** Adds faults to the queue. Each request meets the first that fits. */
  fail(...faults: ServerFault[]): void;
  /** Forgets faults and requests. */
  reset(): void;
}

interface FaultyServerOptions {
  port?: number | undefined;
  answer(request: FaultyRequest): Answer | Promise<Answer>;
  /** The body of a scripted error, in the way of the service. */
  describeError(status: number): unknown;
  /** More control routes, such as `/__courses`; undefined when there is no such route. */
  control?(path: string, body: unknown): Answer | undefined;
}

/** Starts a JSON service that records its requests and fails on demand: by its methods, or over HTTP as a process of its own. */
export async function startFaultyServer(options: FaultyServerOptions): Promise<FaultyServer> {
  const requests: RequestRecord[] = [];
  const faults: ServerFault[] = [];

  const reset = (): void => {
    requests.length = 0;
    faults.length = 0;
  };

  const control = (path: string, body: unknown): Answer => {
    if (path === '/__fail') {
      faults.push(...(Array.isArray(body) ? body : [body]).map((each) => readObject(each) as ServerFault));
      return { status: 200, body: { queued: faults.length } };
    }
    if (path === '/__requests') return { status: 200, body: requests };
    if (path === '/__reset') {
      reset();
      return { status: 200, body: {} };
    }
    return (
      options.control?.(path, body) ?? {
        status: 404,
        body: { detail: `No ${path}; there are /__fail, /__requests and /__reset.` },
      }
    );
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const receivedAt = Date.now();
    const origin = `http://${incoming.headers.host ?? '127.0.0.1'}`;
    const { pathname, searchParams: query } = new URL(incoming.url ?? '/', origin);
    const body = await readBody(incoming);
    const { method = '', headers } = incoming;
    const path = pathname.replace(/(?<=.)\/$/, '');
    const send = (answer: Answer): void => {
      sendJson(response, answer.status, answer.body, answer.headers);
    };
    if (path.startsWith('/__')) {
      send(control(path, parseJson(body.toString())));
      return;
    }
    const isUpload = headers['content-type']?.startsWith('multipart/') === true;
    const record: RequestRecord = {
      method,
      path,
      query: Object.fromEntries(query),
      headers,
      body: isUpload ? undefined : parseJson(body.toString()),
      receivedAt,
    };
    requests.push(record);
    response.on('close', () => {
      if (!response.writableFinished) record.closedEarlyAt = Date.now();
    });
    const fault = takeFault(faults, path);
    if (fault !== undefined && !(await applyFault(fault, response, (status) => options.describeError(status)))) return;
    send(await options.answer({ method, path, query, headers, body, origin }));
  };

  const server = await listen((incoming, response) => {
    // A client that has gone away leaves nobody to answer.
    handle(incoming, response).catch(() => response.destroy());
  }, options.port);
  return { ...server, requests, fail: (...added) => void faults.push(...added), reset };
}
