import { dateLocale } from './date-locale.ts';

/** Making one costs more than a row of a list. */
const made = new Map<
  string,
  { recent: Intl.RelativeTimeFormat; thisYear: Intl.DateTimeFormat; date: Intl.DateTimeFormat }
>();

/** A time as people say it: “2 hours ago”, “4 Nov”, “4 Nov 2024”. */
export function formatWhen(seconds: number, now = Date.now()): string {
  const { recent, thisYear, date } = findFormats(dateLocale());
  const minutes = Math.round((seconds * 1000 - now) / 60_000);
  if (minutes > -60) return recent.format(Math.min(minutes, 0), 'minute');
  if (minutes > -24 * 60) return recent.format(Math.round(minutes / 60), 'hour');
  if (minutes > -7 * 24 * 60) return recent.format(Math.round(minutes / 1440), 'day');
  const when = new Date(seconds * 1000);
  return (when.getFullYear() === new Date(now).getFullYear() ? thisYear : date).format(when);
}

function findFormats(locale: string) {
  const known = made.get(locale);
  if (known) return known;
  const formats = {
    recent: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
    thisYear: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }),
    date: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' }),
  };
  made.set(locale, formats);
  return formats;
}
