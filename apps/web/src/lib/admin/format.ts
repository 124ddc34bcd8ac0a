import { getLocale } from '#lib/paraglide/runtime.js';

const MICROS = 1_000_000;

/** A number with its thousands apart: 12,400. */
export function formatCount(count: number): string {
  return new Intl.NumberFormat(getLocale()).format(count);
}

/** A number for a heading or an axis: 3.1M. */
export function formatShort(count: number): string {
  return new Intl.NumberFormat(getLocale(), { notation: 'compact', maximumFractionDigits: 1 }).format(count);
}

/** Money from millionths; what is less than a cent keeps the digits that say so. */
export function formatMoney(micros: number, currency: string): string {
  const amount = micros / MICROS;
  const isSmall = amount !== 0 && Math.abs(amount) < 0.01;
  return new Intl.NumberFormat(getLocale(), {
    style: 'currency',
    currency,
    ...(isSmall ? { maximumSignificantDigits: 2 } : {}),
  }).format(amount);
}

/** A day that the server names, as “4 Nov”. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat(getLocale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

/** A day of the calendar from unix seconds, as “4 Nov 2026”. */
export function formatDate(seconds: number): string {
  return new Intl.DateTimeFormat(getLocale(), { dateStyle: 'medium' }).format(new Date(seconds * 1000));
}

/** A moment from unix seconds, to the minute. */
export function formatMoment(seconds: number): string {
  return new Intl.DateTimeFormat(getLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(seconds * 1000),
  );
}
