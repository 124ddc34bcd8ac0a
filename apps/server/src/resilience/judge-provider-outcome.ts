import { AppError } from '@lamb/contract';
import { OutboundRefusedError } from '../outbound/outbound-refused-error.ts';
import type { Outcome, Verdict } from './verdict.ts';

const TIMEOUTS: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** What the beginning of an answer, or the error in its place, says about a model provider. */
export function judgeProviderOutcome(outcome: Outcome<unknown>): Verdict {
  if (!('error' in outcome) || !(outcome.error instanceof AppError)) return { isTargetWell: true };
  const { code, details } = outcome.error;
  if (code === 'provider_rate_limited') {
    const seconds = details['retry_after'];
    return { isTargetWell: true, retry: { afterMs: typeof seconds === 'number' ? seconds * 1000 : 0 } };
  }
  if (code === 'provider_stream_broken') return { isTargetWell: false };
  if (code !== 'provider_unavailable') return { isTargetWell: true };
  const status = details['provider_status'];
  // A redirect: an address to correct, which another attempt does not.
  if (typeof status === 'number' && status < 400) return { isTargetWell: true };
  return typeof status === 'number' ? { isTargetWell: false, retry: { afterMs: 0 } } : judgeConnection(outcome.error);
}

function judgeConnection(error: AppError): Verdict {
  const causes = listCauses(error);
  // Nothing was sent: the address makes no sense, or may not be called.
  if (causes.length === 0 || causes.some((cause) => cause instanceof OutboundRefusedError))
    return { isTargetWell: true };
  // Who waited that long once does not wait again, and the provider may still be at work on it.
  if (causes.some((cause) => TIMEOUTS.has((cause as { code?: unknown }).code))) return { isTargetWell: false };
  return { isTargetWell: false, retry: { afterMs: 0 } };
}

function listCauses(error: Error): Error[] {
  const { cause } = error;
  return cause instanceof Error ? [cause, ...listCauses(cause)] : [];
}
