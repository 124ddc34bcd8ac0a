const MICROS = 1_000_000;
/** What the server takes at most. */
const MOST = 1e15;

/** A whole number as somebody types it, with or without thousands apart; empty is null, what is no number undefined. */
export function readTokens(text: string): number | null | undefined {
  const typed = text.trim();
  if (typed === '') return null;
  if (!/^\d+$|^\d{1,3}(?:([.,'’\s])\d{3})(?:\1\d{3})*$/.test(typed)) return undefined;
  const count = Number(typed.replace(/\D/g, ''));
  return count <= MOST ? count : undefined;
}

/** An amount of money as somebody types it, in millionths; a comma or a point begins the part after the unit. */
export function readMicros(text: string): number | null | undefined {
  const typed = text.trim();
  if (typed === '') return null;
  if (!/^\d+(?:[.,]\d{1,6})?$/.test(typed)) return undefined;
  const micros = Math.round(Number(typed.replace(',', '.')) * MICROS);
  return micros <= MOST ? micros : undefined;
}

/** Millionths as a text to edit. */
export function writeMicros(micros: number | null): string {
  return micros === null ? '' : String(micros / MICROS);
}

/** A cap as a text to edit. */
export function writeTokens(tokens: number | null): string {
  return tokens === null ? '' : String(tokens);
}
