import { expect, test } from 'vitest';
import { checkCitations } from './check-citations.ts';

test.each<[text: string, last: number, cited: number[], unknown: number[]]>([
  ['Nothing is cited.', 3, [], []],
  ['Twice [2], and again [2], then [1].', 3, [2, 1], []],
  ['Made up [4] and [0].', 3, [], [4, 0]],
  ['Some of each [1, 4][2].', 2, [1, 2], [4]],
  ['Nothing was found, and yet [1].', 0, [], [1]],
  ['A year [2024].', 3, [], []],
  ['The last of very many [1200], not [1201].', 1200, [1200], []],
  ['Code `a[7]` is none, [1] is.', 3, [1], []],
])('%s', (text, last, cited, unknown) => {
  expect(checkCitations(text, last)).toEqual({ cited, unknown });
});
