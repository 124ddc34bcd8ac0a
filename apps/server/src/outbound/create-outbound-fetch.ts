import type { Dispatcher } from 'undici';
import { assertOutboundUrl } from './assert-outbound-url.ts';
import { OutboundLimitError } from './outbound-limit-error.ts';
import { OutboundRefusedError } from './outbound-refused-error.ts';
import { readLimitedBody } from './read-limited-body.ts';

const MAX_REDIRECTS = 5;
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 30_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What another host may be told after a redirect; anything else might be a credential. */
const HARMLESS_HEADERS = new Set(['accept', 'accept-language', 'content-type']);

/** An outgoing request. `maxBytes` bounds the decoded body, `timeoutMs` everything from the first connection to the last byte. */
export interface OutboundRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

/** Makes a guarded request and reads its whole reply. */
export type OutboundFetch = (url: string, request?: OutboundRequest) => Promise<Response>;

/** A `fetch` for small replies of services that a tenant named: guarded at every hop, and cut at a byte and a time limit. */
export function createOutboundFetch(dispatcher: Dispatcher): OutboundFetch {
  return async (url, request = {}) => {
    const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort();
    }, timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline.signal]) : deadline.signal;
    try {
      return await follow(dispatcher, assertOutboundUrl(url), request, signal);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (!deadline.signal.aborted) throw error;
      throw new OutboundLimitError('time', `The reply took longer than ${String(timeoutMs)} ms.`);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function follow(
  dispatcher: Dispatcher,
  start: URL,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<Response> {
  const maxBytes = request.maxBytes ?? DEFAULT_MAX_BYTES;
  let url = start;
  let method: string = request.method ?? 'GET';
  let body = request.body ?? null;
  let headers = lowerCaseNames(request.headers ?? {});
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const reply = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...headers, 'accept-encoding': 'gzip, br' },
      body,
      signal,
    });
    const location = reply.headers['location'];
    if (!REDIRECTS.has(reply.statusCode) || typeof location !== 'string') {
      const content = await readLimitedBody(reply, maxBytes);
      return new Response(content.length === 0 ? null : content, {
        status: reply.statusCode,
        headers: toHeaders(reply.headers),
      });
    }
    // The body of a redirect is of no interest, and its connection not worth keeping.
    reply.body.on('error', () => undefined).destroy();
    const next = resolveLocation(location, url);
    if (reply.statusCode === 303 || (method === 'POST' && (reply.statusCode === 301 || reply.statusCode === 302))) {
      method = 'GET';
      body = null;
      headers = without(headers, (name) => name === 'content-type');
    }
    if (next.origin !== url.origin) headers = without(headers, (name) => !HARMLESS_HEADERS.has(name));
    url = next;
  }
  throw new OutboundRefusedError('redirect', `More than ${String(MAX_REDIRECTS)} redirects are not followed.`);
}

function resolveLocation(location: string, base: URL): URL {
  // An absolute address is judged as the server wrote it, not as a lenient reader would repair it.
  const isAbsolute = /^[a-z][a-z\d+.-]*:/i.test(location);
  return assertOutboundUrl(isAbsolute || location.includes('\\') ? location : new URL(location, base.href).href);
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function without(headers: Record<string, string>, drop: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !drop(name)));
}

/** The reply's headers as they describe the decoded body. */
function toHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    if (name === 'content-encoding' || name === 'content-length' || name === 'transfer-encoding') continue;
    for (const item of [value ?? []].flat()) headers.append(name, item);
  }
  return headers;
}
