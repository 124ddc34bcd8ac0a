import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBlockLexer } from './create-block-lexer.ts';
import { decodeEntities } from './decode-entities.ts';
import { childrenOf, lexMarkdown, type MarkdownToken } from './lex-markdown.ts';
import { toOwnImage, toSafeHref } from './to-safe-href.ts';

const all = (tokens: readonly MarkdownToken[]): MarkdownToken[] =>
  tokens.flatMap((token) => [
    token,
    ...all(token.type === 'list' ? (token.items as MarkdownToken[]) : childrenOf(token)),
  ]);
const find = (text: string, type: MarkdownToken['type']) => all(lexMarkdown(text)).filter((each) => each.type === type);

describe('markers', () => {
  test.each([
    ['see [1].', [[1]]],
    ['**both [1, 3]** and [2]', [[1, 3], [2]]],
    ['- in a list [4]', [[4]]],
    ['`a[1]` and a[0] in text', [[0]]],
    ['[1](https://example.org)', []],
    ['[x] no', []],
  ])('%s', (text, numbers) => {
    expect(find(text, 'citation').map((token) => 'numbers' in token && token.numbers)).toEqual(numbers);
  });
});

describe('formulas', () => {
  test.each([
    ['so $x^2$ is', ['x^2']],
    ['so \\(a+b\\) is', ['a+b']],
    ['$$\n\\frac{1}{2}\n$$\n', ['\\frac{1}{2}']],
    ['\\[ y \\]', ['y']],
    ['costs $5 and $6', []],
    ['`$x$`', []],
    ['$ x $', []],
  ])('%s', (text, formulas) => {
    expect(find(text, 'formula').map((token) => 'text' in token && token.text)).toEqual(formulas);
  });
});

test.each([
  ['https://example.org/a', 'https://example.org/a'],
  ['mailto:a@example.org', 'mailto:a@example.org'],
  ['javascript:alert(1)', undefined],
  [' java\nscript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['vbscript:x', undefined],
  ['blob:https://example.org/1', undefined],
  ['file:///etc/passwd', undefined],
  ['/chats', undefined],
  ['//evil.example', undefined],
  ['', undefined],
])('a link to %s leads to %s', (href, expected) => {
  expect(toSafeHref(href)).toBe(expected);
});

test.each([
  ['/lamb/v1/files/abc-1/content', '/lamb/v1/files/abc-1/content'],
  ['https://lamb.example/lamb/v1/files/abc/content', '/lamb/v1/files/abc/content'],
  ['https://evil.example/lamb/v1/files/abc/content', undefined],
  ['//evil.example/lamb/v1/files/abc/content', undefined],
  ['/lamb/v1/files/abc/content?x=secret', undefined],
  ['/lamb/v1/me', undefined],
  ['/lamb/v1/files/../me/content', undefined],
  ['data:image/svg+xml,<svg/>', undefined],
])('an image of %s is loaded from %s', (href, expected) => {
  expect(toOwnImage(href, 'https://lamb.example')).toBe(expected);
});

test('entities become characters, once', () => {
  expect(decodeEntities('a &amp; b &lt;i&gt; &#39; &#x2014; &amp;lt; &nope; &constructor;')).toBe(
    "a & b <i> ' — &lt; &nope; &constructor;",
  );
});

const pieces = fc.constantFrom(
  ...[
    '# a',
    '\n',
    '\n\n',
    'word ',
    '- x',
    '1. y',
    '> q',
    '```\n',
    '|a|b|\n|-|-|\n',
    '|1|2|\n',
    '$$',
    '[1]',
    '**',
    '  ',
  ],
  ...['===', '<b>', '`', '[a]: http://b', '    code'],
);

test('a text that grows is read as it would be at once', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const lex = createBlockLexer();
      let text = '';
      for (const part of parts) {
        text += part;
        lex(text, false);
      }
      expect(lex(text, true).map(({ type, raw }) => [type, raw])).toEqual(
        lexMarkdown(text).map(({ type, raw }) => [type, raw]),
      );
    }),
  );
});

test('what is settled stays the same object, and only the end is read again', () => {
  const lex = createBlockLexer();
  const paragraphs = Array.from({ length: 50 }, (_, index) => `Paragraph ${String(index)}.\n\n`);
  let before = lex(paragraphs.slice(0, 40).join(''), false);
  let text = paragraphs.slice(0, 40).join('');
  for (const paragraph of paragraphs.slice(40)) {
    text += paragraph;
    const after = lex(text, false);
    for (const [index, block] of before.slice(0, -2).entries()) expect(after[index]).toBe(block);
    before = after;
  }
});

test('what reaches far back is read as a whole at the end', () => {
  const lex = createBlockLexer();
  const text = '$$\n\na\n\nb\n\nc\n\nd\n$$\n';
  for (let length = 1; length <= text.length; length += 1) lex(text.slice(0, length), false);
  expect(lex(text, true).map(({ type }) => type)).toEqual(['formula']);
});

test('also where a definition makes everything be read again, what did not change stays', () => {
  const lex = createBlockLexer();
  const start = '[a]: https://example.org\n\nFirst [a].\n\nSecond.\n\n';
  const before = lex(start, false);
  const after = lex(`${start}Third.`, false);
  for (const [index, block] of before.entries()) expect(after[index]).toBe(block);
});

test('what is written to break the reader is text', () => {
  for (const text of ['> '.repeat(10_000), '['.repeat(5000), '*'.repeat(5000), '- '.repeat(2000)]) {
    const started = performance.now();
    expect(lexMarkdown(text).length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(20_000);
  }
});
