import type { ModelPrice } from '@lamb/store';

const MILLION = 1_000_000n;

/** What tokens and images cost, in millionths of the currency, rounded up; nothing where the model has no price. */
export function computeCost(
  price: (Pick<ModelPrice, 'promptMicros' | 'completionMicros'> & Partial<Pick<ModelPrice, 'imageMicros'>>) | undefined,
  promptTokens: number,
  completionTokens: number,
  images = 0,
): number {
  if (!price) return 0;
  // Tokens times price leaves the range of exact numbers long before the result does.
  const product =
    BigInt(promptTokens) * BigInt(price.promptMicros) + BigInt(completionTokens) * BigInt(price.completionMicros);
  return Number((product + MILLION - 1n) / MILLION) + images * (price.imageMicros ?? 0);
}
