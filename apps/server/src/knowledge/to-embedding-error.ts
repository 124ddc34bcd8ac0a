import { AppError, type ErrorCode } from '@lamb/contract';
import type { EmbeddingFailure } from '@lamb/knowledge';

const codes = {
  not_configured: 'provider_not_configured',
  credentials: 'provider_credentials_rejected',
  rejected: 'provider_rejected',
  malformed: 'provider_rejected',
  dimensions: 'provider_rejected',
  limited: 'provider_rate_limited',
  unavailable: 'provider_unavailable',
  paused: 'provider_unavailable',
} as const satisfies Record<EmbeddingFailure['reason'], ErrorCode>;

/** A failure of an embedding as an error of the API. */
export function toEmbeddingError(failure: EmbeddingFailure): AppError {
  const { reason, message, retryAfterMs } = failure;
  return new AppError(codes[reason], {
    message,
    ...(retryAfterMs > 0 ? { details: { retry_after: Math.ceil(retryAfterMs / 1000) } } : {}),
    cause: failure,
  });
}
