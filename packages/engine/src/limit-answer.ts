import type { Sampling } from '@lamb/contract';
import type { Reservation } from './turn-ports.ts';

/** Tells the model to say no more than was set aside for it. */
export function limitAnswer(sampling: Sampling, { maxCompletionTokens }: Reservation): Sampling {
  return maxCompletionTokens === undefined ? sampling : { ...sampling, max_tokens: maxCompletionTokens };
}
