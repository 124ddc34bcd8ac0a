import { getLocale } from '#lib/paraglide/runtime.js';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A number of bytes as people say it: “340 kB”, “1.2 MB”. */
export function formatSize(bytes: number): string {
  let step = 0;
  let size = bytes;
  while (size >= 1000 && step < units.length - 1) {
    size /= 1000;
    step += 1;
  }
  const unit = units[step] ?? 'byte';
  const maximumFractionDigits = step > 1 && size < 10 ? 1 : 0;
  return new Intl.NumberFormat(getLocale(), {
    style: 'unit',
    unit,
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits,
  }).format(size);
}
