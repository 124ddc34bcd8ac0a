/** A time as the API writes it. */
export function toUnixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
