import { AppError } from '@lamb/contract';
import type { StoredProblem } from '@lamb/store';
import { EmbeddingFailure } from '../embed/embedding-failure.ts';
import { ExtractionFailure } from '../extract/extraction-failure.ts';

/** Why a document could not be read in, for its owner; undefined: something that nobody expected. */
export function describeIngestFailure(error: unknown): StoredProblem | undefined {
  if (error instanceof EmbeddingFailure) return { code: `provider_${error.reason}`, message: error.message };
  if (error instanceof ExtractionFailure || error instanceof AppError) {
    return { code: error.code, message: error.message };
  }
  return undefined;
}
