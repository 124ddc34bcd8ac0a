import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const web = new URL('../../', import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, web), 'utf8')) as Record<string, unknown>;
const settings = readJson('project.inlang/settings.json') as unknown as {
  baseLocale: string;
  locales: string[];
  'plugin.inlang.messageFormat': { pathPattern: string[] };
};
const areas = settings['plugin.inlang.messageFormat'].pathPattern.map(
  (path) => /([a-z]+)\.json$/.exec(path)?.[1] ?? '',
);

function readMessages(locale: string, area: string): Map<string, string> {
  const { $schema: _, ...messages } = readJson(`messages/${locale}/${area}.json`);
  return new Map(
    Object.entries(messages).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

const placeholders = (text: string) => [...new Set([...text.matchAll(/\{\s*(\w+)/g)].map(([, name]) => name))].sort();

const source = readdirSync(new URL('src', web), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(svelte|ts)$/.test(path) && !path.includes('paraglide') && !path.endsWith('messages.test.ts'))
  .map((path) => readFileSync(new URL(`src/${path}`, web), 'utf8'))
  .join('\n');
const used = new Set([...source.matchAll(/\bm\.(\w+)/g)].map(([, key]) => key));

describe.each(areas)('the texts of %s', (area) => {
  const base = readMessages(settings.baseLocale, area);

  test('begin with the name of their area, so that two files never hold the same key', () => {
    expect([...base.keys()].filter((key) => !key.startsWith(`${area}_`))).toEqual([]);
  });

  test('are all used; write `m.the_key()` and never put a key together', () => {
    expect([...base.keys()].filter((key) => !used.has(key))).toEqual([]);
  });

  test.each(settings.locales)('are complete in %s, with the same placeholders', (locale) => {
    const texts = readMessages(locale, area);
    expect([...texts.keys()].sort()).toEqual([...base.keys()].sort());
    for (const [key, text] of texts) {
      expect(text.trim(), key).not.toBe('');
      expect(placeholders(text), key).toEqual(placeholders(base.get(key) ?? ''));
    }
  });
});

test('every file of texts is known to project.inlang/settings.json', () => {
  for (const locale of settings.locales) {
    expect(readdirSync(new URL(`messages/${locale}`, web)).sort()).toEqual(areas.map((area) => `${area}.json`).sort());
  }
});
