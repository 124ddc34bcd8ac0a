import { getLocale, locales, setLocale } from '#lib/paraglide/runtime.js';

type Locale = (typeof locales)[number];

const names: Record<Locale, string> = { en: 'English', es: 'Español', ca: 'Català', eu: 'Euskara' };

/** The languages, each in its own words. */
export const languages = locales.map((value) => ({ value, label: names[value] }));

/** Changes the language; the page is loaded anew, so that every text is in it. */
export function chooseLanguage(value: string): void {
  const locale = locales.find((each) => each === value);
  if (locale !== undefined && locale !== getLocale()) void setLocale(locale);
}
