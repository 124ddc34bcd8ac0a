/** A vector of length 1 in the same direction; undefined when there is none, or a number is not finite. */
export function normalizeVector(numbers: readonly number[]): Float32Array | undefined {
  const length = Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) return undefined;
  return Float32Array.from(numbers, (value) => value / length);
}
