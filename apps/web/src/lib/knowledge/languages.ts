import type { CollectionLanguage } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import { getLocale } from '#lib/paraglide/runtime.js';

const codes: Record<Exclude<CollectionLanguage, 'simple'>, string> = {
  english: 'en',
  spanish: 'es',
  catalan: 'ca',
  basque: 'eu',
  french: 'fr',
  german: 'de',
  italian: 'it',
  portuguese: 'pt',
  dutch: 'nl',
};

/** What a language is called in the person's own. */
export function nameLanguage(language: CollectionLanguage): string {
  if (language === 'simple') return m.knowledge_language_any();
  const name = new Intl.DisplayNames(getLocale(), { type: 'language' }).of(codes[language]) ?? language;
  return name.charAt(0).toLocaleUpperCase() + name.slice(1);
}

/** The languages to choose from; that of the person first. */
export function listLanguages(): { value: CollectionLanguage; label: string }[] {
  const own = guessLanguage();
  const others = (Object.keys(codes) as (keyof typeof codes)[]).filter((language) => language !== own);
  return [own, ...others, 'simple' as const].map((value) => ({ value, label: nameLanguage(value) }));
}

/** The language that somebody's documents are probably in. */
export function guessLanguage(): keyof typeof codes {
  const found = Object.entries(codes).find(([, code]) => code === getLocale());
  return (found?.[0] ?? 'english') as keyof typeof codes;
}
