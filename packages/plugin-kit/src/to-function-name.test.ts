import { expect, test } from 'vitest';
import { toFunctionName } from './to-function-name.ts';

test.each([
  ['course_materials', 'course_materials'],
  ['Año nuevo!', 'ano_nuevo'],
  ['  2nd edition, Émile  ', 'nd_edition_emile'],
  ['x'.repeat(100), 'x'.repeat(40)],
  ['語彙', undefined],
  ['42', undefined],
])('%s becomes %s', (text, name) => {
  expect(toFunctionName(text)).toBe(name);
});
