import { dateLocale } from './date-locale.ts';

/** A day that the server names, as “4 Nov”. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat(dateLocale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

/** A day of the calendar from unix seconds, as “4 Nov 2026”. */
export function formatDate(seconds: number): string {
  return new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium' }).format(new Date(seconds * 1000));
}

/** A moment from unix seconds, to the minute. */
export function formatMoment(seconds: number): string {
  return new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(seconds * 1000),
  );
}
