/** What one request to a provider may hold. */
export interface BatchLimits {
  readonly maxTexts: number;
  readonly maxTokens: number;
}

/**
 * Cuts passages into batches, in their order. The same passages always give the same batches: so a batch that is sent
 * again after a crash is recognised as the same by its provider.
 */
export function planBatches<Item extends { readonly tokens: number }>(
  items: readonly Item[],
  { maxTexts, maxTokens }: BatchLimits,
): Item[][] {
  const batches: Item[][] = [];
  let tokens = 0;
  for (const item of items) {
    const last = batches.at(-1);
    if (last && last.length < maxTexts && tokens + item.tokens <= maxTokens) {
      last.push(item);
      tokens += item.tokens;
    } else {
      batches.push([item]);
      tokens = item.tokens;
    }
  }
  return batches;
}
