import { AppError } from '@lamb/contract';
import { shortenMessage } from './to-provider-error.ts';

/** What to throw when a provider reports an error in the middle of its answer. */
export function breakWith(error: unknown, apiKey: string | undefined): AppError {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  const said = typeof message === 'string' ? shortenMessage(message, apiKey) : '';
  return new AppError('provider_stream_broken', said === '' ? {} : { details: { provider_message: said } });
}
