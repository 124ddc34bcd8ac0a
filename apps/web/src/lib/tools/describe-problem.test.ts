import { ProblemCode } from '@lamb/contract';
import { afterEach, expect, test } from 'vitest';
import { overwriteGetLocale } from '#lib/paraglide/runtime.js';
import { definitions } from './__fixtures__/definitions.ts';
import { describeProblem } from './describe-problem.ts';

const params = {
  name: 'context',
  names: '{a}, {b}',
  by: 'simple_rag',
  id: '7',
  count: '50',
  rule: 'minItems',
  limit: '1',
};
const locales = ['en', 'es', 'ca', 'eu'] as const;

afterEach(() => overwriteGetLocale(() => 'en'));

test.each(ProblemCode.options)('%s is said in each language', (code) => {
  const said = locales.map((locale) => {
    overwriteGetLocale(() => locale);
    return describeProblem({ severity: 'error', path: 'tools.0', code, params }, definitions);
  });
  for (const text of said) expect(text).toMatch(/^\S.{9,}[.]$/u);
  expect(new Set(said).size).toBe(locales.length);
});
