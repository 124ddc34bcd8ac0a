/** A number as people write it: no binary rounding noise, at most four decimals. */
export function formatNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
