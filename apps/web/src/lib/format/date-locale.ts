import { getLocale } from '#lib/paraglide/runtime.js';

/** The language for dates: plain English would put the month first, as only Americans do. */
export function dateLocale(): string {
  const locale = getLocale();
  return locale === 'en' ? 'en-GB' : locale;
}
