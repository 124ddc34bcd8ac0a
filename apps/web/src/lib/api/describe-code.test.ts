import { afterEach, expect, test } from 'vitest';
import { overwriteGetLocale } from '#lib/paraglide/runtime.js';
import { describeCode } from './describe-code.ts';

afterEach(() => {
  overwriteGetLocale(() => 'en');
});

const said = 'The organisation’s tokens for this month do not suffice; the next month begins on 2026-12-01 (UTC).';

test('in English the server’s words are kept, since they say more', () => {
  overwriteGetLocale(() => 'en');
  expect(describeCode('budget_exceeded', said)).toEqual({
    what: said,
    next: 'Wait until next month, or ask an administrator to raise the cap.',
  });
  expect(describeCode('budget_exceeded', '').what).toBe('The budget for this month is used up.');
  expect(describeCode('not_found', 'There is no such resource.').what).toBe('There is nothing here that you can see.');
});

test('in another language the code is said in it', () => {
  overwriteGetLocale(() => 'es');
  expect(describeCode('budget_exceeded', said)).toEqual({
    what: 'El presupuesto de este mes está agotado.',
    next: 'Espera al próximo mes o pide a un administrador que suba el límite.',
  });
  overwriteGetLocale(() => 'eu');
  expect(describeCode('answer_under_way', 'An answer is under way.').what).toBe('Txat honetan erantzun bat bidean da.');
});

test('a cap that refuses is named with its end in every language', () => {
  const details = { cap: 'user_tokens', until: 1_796_083_200 };
  const whats = (['en', 'es', 'ca', 'eu'] as const).map((locale) => {
    overwriteGetLocale(() => locale);
    return describeCode('budget_exceeded', said, details).what;
  });
  expect(whats[0]).toMatch(/^Your tokens for this month do not suffice for this; the next month begins on 1 Dec 2026/);
  expect(whats[1]).toMatch(/^Tus tokens para este mes no bastan para esto; el próximo mes empieza el 1 dic 2026/);
  expect(new Set(whats).size).toBe(4);
  for (const what of whats) expect(what).toContain('2026');
  expect(describeCode('budget_exceeded', said, { cap: 'constructor', until: 0 }).what).not.toContain('1970');
});

test('what only the server knows is added', () => {
  overwriteGetLocale(() => 'ca');
  expect(describeCode('provider_rejected', 'model “x” is not offered').what).toBe(
    'El proveïdor del model ha rebutjat la petició. (model “x” is not offered)',
  );
});

test('a code that nobody knows keeps what was said', () => {
  expect(describeCode('INVALID_PASSWORD', 'Invalid password')).toMatchObject({ what: 'Invalid password' });
  expect(describeCode('constructor', '').what).toBe('The server did not accept this.');
});
