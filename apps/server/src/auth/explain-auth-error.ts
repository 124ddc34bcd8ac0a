import { AppError } from '@lamb/contract';
import { isDatabaseGone } from '@lamb/store';
import { APIError } from 'better-auth/api';

const SESSION_NOT_READ = 'FAILED_TO_GET_SESSION';

/** better-auth hides that it could not reach the database behind a failure of its own; whatever else it says stays. */
export function explainAuthError(error: unknown): unknown {
  const hidesIt =
    error instanceof APIError && error.status === 'INTERNAL_SERVER_ERROR' && error.body?.code === SESSION_NOT_READ;
  return hidesIt || isDatabaseGone(error) ? new AppError('service_unavailable', { cause: error }) : error;
}

/** The same, where it has made an answer of it. */
export function isUnavailable(status: number, answer: Buffer): boolean {
  return status === 500 && answer.includes(SESSION_NOT_READ);
}
