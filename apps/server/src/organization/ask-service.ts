import { ToolFailure } from '@lamb/plugin-kit';
import type { OutboundFetch, OutboundRequest } from '../outbound/create-outbound-fetch.ts';
import { OutboundLimitError } from '../outbound/outbound-limit-error.ts';
import { OutboundRefusedError } from '../outbound/outbound-refused-error.ts';
import { ConnectionProblem } from './connection-problem.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 5 * 1024 * 1024;

/** Asks a service that an administrator named for JSON. What goes wrong is a `ConnectionProblem`; nothing that the service says is in it. */
export async function askService(
  url: string,
  request: Pick<OutboundRequest, 'headers' | 'method' | 'body'>,
  fetch: OutboundFetch,
  signal: AbortSignal,
): Promise<unknown> {
  let reply: Response;
  try {
    const headers = { accept: 'application/json', ...request.headers };
    reply = await fetch(url, { ...request, headers, signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  } catch (cause) {
    signal.throwIfAborted();
    throw toConnectionProblem(cause);
  }
  if (reply.status === 401 || reply.status === 403) throw new ConnectionProblem('credentials_rejected');
  if (reply.status === 404) throw new ConnectionProblem('not_found');
  if (reply.status === 429) throw new ConnectionProblem('rate_limited');
  if (!reply.ok) throw new ConnectionProblem('unexpected_answer');
  try {
    return await reply.json();
  } catch (cause) {
    throw new ConnectionProblem('unexpected_answer', { cause });
  }
}

/** What kept us from an answer, in words that help an administrator. */
export function toConnectionProblem(cause: unknown): ConnectionProblem {
  const chain: unknown[] = [];
  for (let error = cause; error instanceof Error && chain.length < 10; error = error.cause) chain.push(error);
  if (chain.some((error) => error instanceof OutboundRefusedError))
    return new ConnectionProblem('address_refused', { cause });
  const limit = chain.find((error) => error instanceof OutboundLimitError);
  if (limit) return new ConnectionProblem(limit.limit === 'time' ? 'timed_out' : 'unexpected_answer', { cause });
  if (cause instanceof ToolFailure) return new ConnectionProblem('unexpected_answer', { cause });
  return new ConnectionProblem('unreachable', { cause });
}
