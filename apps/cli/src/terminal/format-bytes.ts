const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A size for people: `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const step = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const size = bytes / 1000 ** step;
  return `${step === 0 ? String(size) : size.toFixed(1)} ${UNITS[step] ?? ''}`;
}
