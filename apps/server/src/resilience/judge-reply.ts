import { OutboundLimitError } from '../outbound/outbound-limit-error.ts';
import { OutboundRefusedError } from '../outbound/outbound-refused-error.ts';
import type { Outcome, Verdict } from './verdict.ts';

/** What a reply over HTTP, or the error in its place, says about a server. */
export function judgeReply(outcome: Outcome<Response>): Verdict {
  if ('error' in outcome) {
    const { error } = outcome;
    if (error instanceof OutboundRefusedError) return { isTargetWell: true };
    if (error instanceof OutboundLimitError) return { isTargetWell: error.limit !== 'time' };
    return { isTargetWell: false, retry: { afterMs: 0 } };
  }
  const { status, headers } = outcome.value;
  if (status === 429) return { isTargetWell: true, retry: { afterMs: readRetryAfter(headers) } };
  return status >= 500 ? { isTargetWell: false, retry: { afterMs: readRetryAfter(headers) } } : { isTargetWell: true };
}

/** Milliseconds; the header holds seconds or a date. */
function readRetryAfter(headers: Headers): number {
  const value = headers.get('retry-after') ?? '';
  if (value === '') return 0;
  const milliseconds = Number.isNaN(Number(value)) ? Date.parse(value) - Date.now() : Number(value) * 1000;
  return Math.max(0, milliseconds) || 0;
}
