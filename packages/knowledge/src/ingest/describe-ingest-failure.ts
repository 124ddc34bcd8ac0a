import { AppError } from '@lamb/contract';
import { EmbeddingFailure } from '../embed/embedding-failure.ts';
import { ExtractionFailure } from '../extract/extraction-failure.ts';

/** Why a document could not be read in, for its owner; undefined: something that nobody expected. */
export function describeIngestFailure(error: unknown): string | undefined {
  if (error instanceof ExtractionFailure || error instanceof EmbeddingFailure || error instanceof AppError) {
    return error.message;
  }
  return undefined;
}
