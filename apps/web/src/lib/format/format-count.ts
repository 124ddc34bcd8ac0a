import { getLocale } from '#lib/paraglide/runtime.js';

/** A number with its thousands apart: 12,400. */
export function formatCount(count: number): string {
  return new Intl.NumberFormat(getLocale()).format(count);
}

/** A number for a heading or an axis: 3.1M. */
export function formatShort(count: number): string {
  return new Intl.NumberFormat(getLocale(), { notation: 'compact', maximumFractionDigits: 1 }).format(count);
}
