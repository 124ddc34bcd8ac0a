import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCitations } from './find-citations.ts';

const numbersIn = (text: string) => findCitations(text).flatMap(({ numbers }) => numbers);

describe('a marker is', () => {
  test.each<[text: string, numbers: number[]]>([
    ['Water boils at 100 °C [1].', [1]],
    ['without a space[2]', [2]],
    ['two in one [1, 2]', [1, 2]],
    ['with a semicolon [1;3]', [1, 3]],
    ['side by side [1][2]', [1, 2]],
    ['a range [2-4]', [2, 3, 4]],
    ['a range [2–4, 7]', [2, 3, 4, 7]],
    ['turned round [4-2]', [4, 2]],
    ['far apart [1-9999]', [1, 9999]],
    ['twice in one [3, 3]', [3]],
    ['spaced [ 5 ]', [5]],
    ['**[6]** in bold', [6]],
    ['- [7] in a list', [7]],
    ['As [8]: says', [8]],
    ['an amazing![9]', [9]],
    ['zero [0]', [0]],
  ])('%s', (text, numbers) => {
    expect(numbersIn(text)).toEqual(numbers);
  });
});

describe('no marker is', () => {
  test.each([
    'a link [1](https://example.org)',
    'an image ![1](a.png)',
    'a footnote [^1]',
    'a task [ ] or [x]',
    'a word [one]',
    'a fraction [1.5]',
    'a long number [12345]',
    'an open bracket [1',
    'escaped \\[1]',
    'mathematics \\[1\\]',
    'empty []',
    'over lines [1,\n2]',
  ])('%s', (text) => {
    expect(numbersIn(text)).toEqual([]);
  });
});

describe('code has none', () => {
  test.each<[what: string, text: string, numbers: number[]]>([
    ['a span', 'first `a[1]` then [2]', [2]],
    ['a span over two lines', 'first `a\n[1]` then [2]', [2]],
    ['a span of two backticks', 'first ``a` [1]`` then [2]', [2]],
    ['several spans', '`a[1]` [2] `b[3]` [4]', [2, 4]],
    ['a fence', 'see\n```js\na[1]\n```\nand [2]', [2]],
    ['a fence of tildes', '~~~\na[1]\n```\na[3]\n~~~\n[2]', [2]],
    ['a fence in a fence', '````\n```\na[1]\n```\n````\n[2]', [2]],
    ['a fence in a list', '- ```\n  a[1]\n  ```\n- [2]', [2]],
    ['a fence in a quotation', '> ```\n> a[1]\n> ```\n> [2]', [2]],
    ['a fence with Windows line ends', '```\r\na[1]\r\n```\r\n[2]', [2]],
    ['a fence that is not closed', '[2]\n```\na[1]', [2]],
  ])('%s', (_, text, numbers) => {
    expect(numbersIn(text)).toEqual(numbers);
  });

  test.each<[what: string, text: string]>([
    ['a backtick that is not closed', 'a ` and [2]'],
    ['runs of different lengths', 'a ` and [2] `` b'],
    ['an escaped backtick', 'a \\` and [2] `'],
    ['a span that would go beyond its paragraph', 'a ` b\n\n[2] ` c'],
  ])('but %s opens none', (_, text) => {
    expect(numbersIn(text)).toEqual([2]);
  });
});

test('a marker says where it stands', () => {
  const text = '`x[9]` é[1] and [2, 3].';
  expect(findCitations(text).map(({ start, end }) => text.slice(start, end))).toEqual(['[1]', '[2, 3]']);
});

test('whatever the text is, markers stand in order, and each is one', () => {
  const pieces = fc.constantFrom('[', ']', '1', '2', ',', '-', ' ', '`', '```', '~~~', '\n', '(', '\\', 'a', '[1]');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join('');
      let last = 0;
      for (const { start, end, numbers } of findCitations(text)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(text.slice(start, end)).toMatch(/^\[.*\]$/);
        expect(numbers.length).toBeGreaterThan(0);
        last = end;
      }
    }),
  );
});

test.each([
  ['open brackets', '['.repeat(200_000)],
  ['an open list', `[${'1,'.repeat(100_000)}`],
  ['many open lists', '[1,1,1,1,1,1 '.repeat(20_000)],
  ['backticks of growing runs', Array.from({ length: 600 }, (_, index) => '`'.repeat(index)).join(' ')],
  ['backticks', '` '.repeat(100_000)],
  ['fences', '```\n'.repeat(50_000)],
  ['markers of fences', `${'>'.repeat(200_000)}\n${' '.repeat(200_000)}x`],
])('a long text of %s is read at once', (_, text) => {
  const started = performance.now();
  findCitations(text);
  // Quadratic work on these would take minutes.
  expect(performance.now() - started).toBeLessThan(5000);
});
