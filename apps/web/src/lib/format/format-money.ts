import { getLocale } from '#lib/paraglide/runtime.js';

const MICROS = 1_000_000;

/** Money from millionths; what is less than a cent keeps the digits that say so. */
export function formatMoney(micros: number, currency: string): string {
  const amount = micros / MICROS;
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? { maximumSignificantDigits: 2 } : {};
  try {
    return new Intl.NumberFormat(getLocale(), { style: 'currency', currency, ...digits }).format(amount);
  } catch {
    // A currency that the browser does not know.
    return `${new Intl.NumberFormat(getLocale(), digits).format(amount)} ${currency}`;
  }
}
