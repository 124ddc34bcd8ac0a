import { getLocale } from '#lib/paraglide/runtime.js';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size as people say it: “12 kB”. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(getLocale(), {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** power);
}
