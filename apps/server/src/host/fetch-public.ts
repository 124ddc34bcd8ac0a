import { ToolFailure, type FetchedReply } from '@lamb/plugin-kit';
import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { OutboundLimitError } from '../outbound/outbound-limit-error.ts';
import { OutboundRefusedError } from '../outbound/outbound-refused-error.ts';

const MAX_BYTES = 2 * 1024 * 1024;

/** Fetches a public address for a tool. What goes wrong is said without the address, which may hold what a person wrote. */
export async function fetchPublic(url: string, fetch: OutboundFetch, signal: AbortSignal): Promise<FetchedReply> {
  try {
    const reply = await fetch(url, { signal, maxBytes: MAX_BYTES });
    return { status: reply.status, text: await reply.text() };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ToolFailure) throw cause;
    throw new ToolFailure(describeFailure(cause), { cause });
  }
}

function describeFailure(cause: unknown): string {
  if (cause instanceof OutboundRefusedError) return 'The address of the service is not allowed.';
  if (cause instanceof OutboundLimitError) {
    return cause.limit === 'time' ? 'The service did not answer in time.' : 'The answer of the service is too large.';
  }
  return 'The service cannot be reached.';
}
