import { afterEach, expect, test } from 'vitest';
import { overwriteGetLocale } from '#lib/paraglide/runtime.js';
import { describeStepProblem } from './describe-step-problem.ts';

afterEach(() => {
  overwriteGetLocale(() => 'en');
});

const said = 'The knowledge base did not answer in time.';

test('in English the tool’s words are kept, since they say more', () => {
  overwriteGetLocale(() => 'en');
  expect(describeStepProblem('timeout', said, false)).toBe(said);
});

test('in another language what happened is said in it, and the tool’s words to those only who can mend it', () => {
  overwriteGetLocale(() => 'es');
  expect(describeStepProblem('timeout', said, false)).toBe('Tardó demasiado.');
  expect(describeStepProblem('timeout', said, true)).toBe(`Tardó demasiado. (${said})`);
  overwriteGetLocale(() => 'eu');
  expect(describeStepProblem('rejected', '', true)).toBe('Baztertu egin duzu.');
});

test('what nobody foresaw keeps what was said', () => {
  overwriteGetLocale(() => 'ca');
  expect(describeStepProblem('constructor', said, false)).toBe(said);
});
