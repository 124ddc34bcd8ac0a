import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import type { Resilience, Target } from './create-resilience.ts';
import { judgeReply } from './judge-reply.ts';

/**
 * A `fetch` for servers that tools read from: what it sends may arrive more than once, so it must change nothing there.
 * Throws `TargetPaused` while a server is left alone.
 */
export function createResilientFetch(
  fetch: OutboundFetch,
  resilience: Resilience,
  target: Omit<Target, 'url'>,
): OutboundFetch {
  return (url, request = {}) =>
    resilience.run({
      target: { ...target, url },
      signal: request.signal ?? new AbortController().signal,
      attempt: () => fetch(url, request),
      judge: judgeReply,
    });
}
