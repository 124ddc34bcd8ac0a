import type { ErrorCode } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import { getLocale } from '#lib/paraglide/runtime.js';
import { describeCap } from './describe-cap.ts';
import { errorWords } from './error-words.ts';

/** Codes whose meaning is all there is to say. */
const plain = new Set<string>(['forbidden', 'not_found', 'rate_limited', 'internal_error', 'stale_update']);
/** Codes of which the server's own words, which are English, say what nothing else says. */
const telling = new Set<string>(['invalid_request', 'provider_rejected', 'payload_too_large']);

/** What happened and what to try, from a code and what the server said besides. */
export function describeCode(
  code: string,
  said: string,
  details: Readonly<Record<string, unknown>> = {},
): { what: string; next: string } {
  const words = Object.hasOwn(errorWords, code) ? errorWords[code as ErrorCode] : undefined;
  if (!words) return { what: said || m.ui_error_refused(), next: m.ui_error_refused_next() };
  const next = words.next();
  const cap = code === 'budget_exceeded' ? describeCap(details) : undefined;
  if (cap !== undefined) return { what: cap, next };
  if (said === '' || plain.has(code)) return { what: words.what(), next };
  if (getLocale() === 'en') return { what: said, next };
  return { what: telling.has(code) ? `${words.what()} (${said})` : words.what(), next };
}
