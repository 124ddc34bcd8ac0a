import { m } from '#lib/paraglide/messages.js';
import { ApiError } from './api-error.ts';
import { describeCode } from './describe-code.ts';

/** What a person is told of an error. */
interface ErrorDescription {
  readonly what: string;
  readonly next: string;
  readonly requestId: string | undefined;
}

/** Turns whatever was thrown into what happened and what to try. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ApiError) {
    // What is not the server's own answer, as a proxy's page, is nothing that one has entered wrong.
    const isForeign = error.code === 'unknown' && error.status >= 500;
    return {
      ...describeCode(isForeign ? 'internal_error' : error.code, error.message, error.details),
      requestId: error.requestId,
    };
  }
  // What fetch throws when the server cannot be reached.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) {
    return { what: m.ui_error_offline(), next: m.ui_error_offline_next(), requestId: undefined };
  }
  return { what: m.ui_error_unexpected(), next: m.ui_error_unexpected_next(), requestId: undefined };
}
