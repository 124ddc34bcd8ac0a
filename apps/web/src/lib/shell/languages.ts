import { getLocale, locales, setLocale } from '#lib/paraglide/runtime.js';

type Locale = (typeof locales)[number];

const names: Record<Locale, string> = { en: 'English', es: 'Español', ca: 'Català', eu: 'Euskara' };
/** Where a browser remembers that somebody has chosen in it, as opposed to what it prefers by itself. */
const CHOSEN = 'lamb-language-chosen';

/** The languages, each in its own words. */
export const languages = locales.map((value) => ({ value, label: names[value] }));

/** Changes the language; the page is loaded anew, so that every text is in it. */
export function chooseLanguage(value: string): void {
  localStorage.setItem(CHOSEN, 'true');
  change(value);
}

/** Takes over the language of somebody's account, in a browser in which nobody has chosen one. */
export function adoptLanguage(language: string | null): void {
  if (language !== null && localStorage.getItem(CHOSEN) === null) change(language);
}

function change(value: string): void {
  const locale = locales.find((each) => each === value);
  if (locale !== undefined && locale !== getLocale()) void setLocale(locale);
}
