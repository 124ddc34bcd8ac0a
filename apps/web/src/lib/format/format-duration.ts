import { getLocale } from '#lib/paraglide/runtime.js';

/** A time span as short as it is clear: “85 ms”, “2.4 s”. */
export function formatDuration(milliseconds: number): string {
  const isShort = milliseconds < 1000;
  return new Intl.NumberFormat(getLocale(), {
    style: 'unit',
    unit: isShort ? 'millisecond' : 'second',
    unitDisplay: 'short',
    maximumFractionDigits: isShort ? 0 : 1,
  }).format(isShort ? milliseconds : milliseconds / 1000);
}
