import { getLocale } from '#lib/paraglide/runtime.js';

/** Money that is given in millionths, with as many places as it takes to see something. */
export function formatCost(micros: number, currency: string): string {
  const amount = micros / 1_000_000;
  try {
    return new Intl.NumberFormat(getLocale(), {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: amount > 0 && amount < 0.01 ? 6 : 4,
    }).format(amount);
  } catch {
    // A currency that the browser does not know.
    return `${amount.toLocaleString(getLocale(), { maximumFractionDigits: 6 })} ${currency}`;
  }
}
