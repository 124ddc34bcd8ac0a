/** A vector as pgvector reads it, made as long as 1: the inner product of two is then their cosine, and 16 bits hold each number. */
export function formatVector(values: ArrayLike<number>): string {
  let squares = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value === undefined || !Number.isFinite(value)) {
      throw new TypeError(`A vector is made of numbers; at ${String(index)} there is ${String(value)}.`);
    }
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  const parts = Array.from(values, (value) => (length === 0 ? '0' : (value / length).toPrecision(6)));
  return `[${parts.join(',')}]`;
}
