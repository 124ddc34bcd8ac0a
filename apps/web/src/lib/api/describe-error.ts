import { m } from '#lib/paraglide/messages.js';
import { ApiError } from './api-error.ts';

/** What a person is told of an error. */
interface ErrorDescription {
  readonly what: string;
  readonly next: string;
  readonly requestId: string | undefined;
}

/** Codes that are said in the person's language; the others keep the server's more specific words. */
const known: Partial<Record<string, () => { what: string; next: string }>> = {
  forbidden: () => ({ what: m.ui_error_forbidden(), next: m.ui_error_forbidden_next() }),
  not_found: () => ({ what: m.ui_error_not_found(), next: m.ui_error_not_found_next() }),
  rate_limited: () => ({ what: m.ui_error_rate_limited(), next: m.ui_error_rate_limited_next() }),
  internal_error: () => ({ what: m.ui_error_internal(), next: m.ui_error_internal_next() }),
};

/** Turns whatever was thrown into what happened and what to try. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ApiError) {
    const words = known[error.code]?.();
    const isServer = error.status >= 500;
    return {
      what: words?.what ?? (error.message || (isServer ? m.ui_error_internal() : m.ui_error_refused())),
      next: words?.next ?? (error.next || (isServer ? m.ui_error_internal_next() : m.ui_error_refused_next())),
      requestId: error.requestId,
    };
  }
  // What fetch throws when the server cannot be reached.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) {
    return { what: m.ui_error_offline(), next: m.ui_error_offline_next(), requestId: undefined };
  }
  return { what: m.ui_error_unexpected(), next: m.ui_error_unexpected_next(), requestId: undefined };
}
