import { AppError } from '@lamb/contract';
import pg from 'pg';

const textNotStorable = new Set(['22021', '22P05']);

/** Text that PostgreSQL cannot store is the sender's mistake; any other error stays as it is. */
export function explainRefusedText(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (textNotStorable.has(error.code ?? '')) {
    return new AppError('invalid_request', { message: 'Text may not contain the character U+0000.', cause: error });
  }
  if (error.code === '22P02' && error.detail?.includes('surrogate')) {
    const message = 'Text may not contain half of a character (a surrogate without its other half).';
    return new AppError('invalid_request', { message, cause: error });
  }
  return error;
}
