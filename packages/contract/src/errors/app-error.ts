import { errorCatalogue, type ErrorCode } from './error-catalogue.ts';

interface AppErrorOptions {
  /** Replaces the catalogue's message; must be safe to show to the caller. */
  readonly message?: string;
  /** Safe to show to the caller. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Stays in the server's log. */
  readonly cause?: unknown;
}

/** The one error type that crosses rooms; everything else that is thrown is an `internal_error`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? errorCatalogue[code].message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? {};
  }
}
