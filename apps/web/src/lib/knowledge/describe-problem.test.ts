import { afterEach, expect, test } from 'vitest';
import { overwriteGetLocale } from '#lib/paraglide/runtime.js';
import { describeProblem } from './describe-problem.ts';

afterEach(() => {
  overwriteGetLocale(() => 'en');
});

test('a problem is said in the language of who reads it, with what to do next', () => {
  overwriteGetLocale(() => 'ca');
  expect(describeProblem('no_text', 'No text was found.')).toMatch(/^No s’ha trobat text al document.*OCR/);
  overwriteGetLocale(() => 'eu');
  expect(describeProblem('provider_rejected', 'Too long.')).toMatch(/: Too long\.$/);
});

test('a code that is not known is said in the server’s words', () => {
  for (const code of ['something_new', 'constructor', null])
    expect(describeProblem(code, 'In English.')).toBe('In English.');
});
