import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyChanges, type LineChange } from './apply-changes.ts';

const change = (line_start: number, line_end: number, old_content: string, new_content: string): LineChange => ({
  line_start,
  line_end,
  old_content,
  new_content,
});

const textOf = (text: string, ...changes: LineChange[]) => {
  const applied = applyChanges(text, changes);
  if ('problem' in applied) throw new Error(applied.problem);
  return applied.text;
};

const problemOf = (text: string, ...changes: LineChange[]) => {
  const applied = applyChanges(text, changes);
  return 'problem' in applied ? applied.problem : undefined;
};

describe('changes', () => {
  const text = 'one\ntwo\nthree\nfour\n';

  test.each<[string, LineChange[], string]>([
    ['replace a line', [change(2, 2, 'two', 'TWO')], 'one\nTWO\nthree\nfour\n'],
    ['replace lines by more', [change(2, 3, 'two\nthree', 'a\nb\nc')], 'one\na\nb\nc\nfour\n'],
    ['replace lines by fewer', [change(1, 3, 'one\ntwo\nthree', 'a')], 'a\nfour\n'],
    ['delete', [change(2, 3, 'two\nthree', '')], 'one\nfour\n'],
    ['delete everything', [change(1, 4, text, '')], ''],
    ['insert before a line', [change(2, 1, '', 'new')], 'one\nnew\ntwo\nthree\nfour\n'],
    ['insert at the start', [change(1, 0, '', 'new')], 'new\none\ntwo\nthree\nfour\n'],
    ['append', [change(5, 4, '', 'five\nsix\n')], 'one\ntwo\nthree\nfour\nfive\nsix\n'],
    ['insert an empty line', [change(2, 1, '', '\n')], 'one\n\ntwo\nthree\nfour\n'],
    [
      'insert and replace at one place',
      [change(2, 2, 'two', 'TWO'), change(2, 1, '', 'new')],
      'one\nnew\nTWO\nthree\nfour\n',
    ],
    ['touch one another', [change(3, 4, 'three\nfour', 'b'), change(1, 2, 'one\ntwo', 'a')], 'a\nb\n'],
    [
      'keep original numbers in any order',
      [change(1, 1, 'one', '1\n1'), change(4, 4, 'four', '4')],
      '1\n1\ntwo\nthree\n4\n',
    ],
    ['keep spaces', [change(2, 2, 'two', '  two\t ')], 'one\n  two\t \nthree\nfour\n'],
  ])('%s', (_what, changes, expected) => {
    expect(textOf(text, ...changes)).toBe(expected);
  });

  test('a line break at the end of old_content and of new_content does not count', () => {
    expect(textOf(text, change(2, 2, 'two\n', 'TWO\n'))).toBe('one\nTWO\nthree\nfour\n');
    expect(textOf('a\n\nb\n', change(1, 2, 'a', 'A\n'))).toBe('A\nb\n');
  });
});

describe('how lines end', () => {
  test('CRLF is kept, and what comes with LF gets it', () => {
    const text = 'one\r\ntwo\r\nthree\r\n';
    expect(textOf(text, change(2, 2, 'two', 'a\nb'))).toBe('one\r\na\r\nb\r\nthree\r\n');
    expect(textOf(text, change(2, 3, 'two\nthree', 'a\r\nb\r\n'))).toBe('one\r\na\r\nb\r\n');
    expect(textOf(text, change(4, 3, '', 'four'))).toBe('one\r\ntwo\r\nthree\r\nfour\r\n');
    expect(textOf(text, change(2, 2, 'two\r\n', 'a\rb'))).toBe('one\r\na\r\nb\r\nthree\r\n');
  });

  test('of mixed endings, only the lines that change do', () => {
    expect(textOf('a\nb\r\nc\n', change(2, 2, 'b', 'B1\nB2'))).toBe('a\nB1\r\nB2\r\nc\n');
    expect(textOf('a\nb\r\nc\n', change(3, 3, 'c', 'C'))).toBe('a\nb\r\nC\n');
    expect(textOf('a\rb\nc', change(2, 2, 'c', 'C'))).toBe('a\rb\nC');
  });

  test('a file without an end of line stays without', () => {
    expect(textOf('a\nb', change(2, 2, 'b', 'B'))).toBe('a\nB');
    expect(textOf('a\nb', change(3, 2, '', 'c'))).toBe('a\nb\nc');
    expect(textOf('a\r\nb', change(3, 2, '', 'c\n'))).toBe('a\r\nb\r\nc');
    expect(textOf('a\nb', change(2, 2, 'b', ''))).toBe('a');
    expect(textOf('a', change(1, 1, 'a', 'b\nc'))).toBe('b\nc');
    expect(textOf('a\r\nb', change(1, 1, 'a', ''), change(3, 2, '', 'c'))).toBe('b\r\nc');
  });

  test('an empty file takes its first lines', () => {
    for (const line_end of [0, 1]) {
      expect(textOf('', change(1, line_end, '', 'a\nb'))).toBe('a\nb\n');
    }
    expect(problemOf('', change(1, 1, 'a', 'b'))).toMatch(/^Content mismatch/);
    expect(problemOf('', change(2, 2, '', 'b'))).toMatch(/^Invalid line range 2-2: the file has 0 lines/);
  });
});

describe('what is refused, with everything left as it was', () => {
  const text = 'one\ntwo\nthree\n';

  test.each<[string, LineChange[], RegExp]>([
    [
      'a line past the end',
      [change(4, 4, '', 'x')],
      /^Invalid line range 4-4: the file has 3 lines\. All line numbers/,
    ],
    ['a range past the end', [change(3, 4, 'three', 'x')], /^Invalid line range 3-4/],
    ['an insertion past the end', [change(5, 4, '', 'x')], /^Invalid line range 5-4/],
    ['line 0', [change(0, 1, 'one', 'x')], /^Invalid line range 0-1/],
    ['a range that runs backwards', [change(3, 1, '', 'x')], /^Invalid line range 3-1/],
    ['huge numbers', [change(2 ** 52, 2 ** 53, '', 'x')], /^Invalid line range/],
    ['other content', [change(2, 2, 'TWO', 'x')], /^Content mismatch at lines 2-2: /],
    ['other spaces', [change(2, 2, ' two', 'x')], /^Content mismatch at lines 2-2: /],
    ['more content than lines', [change(2, 2, 'two\nthree', 'x')], /^Content mismatch at lines 2-2: /],
    ['less content than lines', [change(1, 2, 'one', 'x')], /^Content mismatch at lines 1-2: /],
    ['content with an insertion', [change(2, 1, 'two', 'x')], /^Content mismatch at the insertion before line 2: /],
    [
      'overlapping ranges',
      [change(1, 2, 'one\ntwo', 'x'), change(2, 3, 'two\nthree', 'y')],
      /^Overlapping changes: lines 1-2 and lines 2-3/,
    ],
    ['a range in a range', [change(1, 3, text, 'x'), change(2, 2, 'two', 'y')], /^Overlapping changes/],
    ['the same range twice', [change(2, 2, 'two', 'x'), change(2, 2, 'two', 'y')], /^Overlapping changes/],
    ['an insertion in a range', [change(1, 3, text, 'x'), change(2, 1, '', 'y')], /^Overlapping changes/],
    [
      'two insertions at one place',
      [change(2, 1, '', 'x'), change(2, 1, '', 'y')],
      /^Overlapping changes: the insertion/,
    ],
    [
      'one good change and a bad one',
      [change(1, 1, 'one', 'x'), change(3, 3, 'two', 'y')],
      /^Content mismatch at lines 3-3/,
    ],
    ['a line of 50 MB', [change(1, 1, 'one', 'x'.repeat(50_000_000))], /^The file would be larger than 2 MB/],
  ])('%s', (_what, changes, problem) => {
    expect(problemOf(text, ...changes)).toMatch(problem);
    expect(problemOf(text, ...changes.toReversed())).toMatch(problem);
  });

  test('a million line breaks are compared in no time', () => {
    const breaks = '\n'.repeat(1_000_000);
    expect(problemOf('x\n', change(1, 1, `${breaks}x`, ''))).toMatch(/^Content mismatch/);
  });
});

/** Lines that a reader could mistake for something else, and plain ones. */
const line = fc.oneof(
  fc.constantFrom('', ' ', 'a', '+a', '-a', '@@ -1 +1 @@', '\\ No newline', 'ž🐑'),
  fc.string().map((text) => text.replaceAll(/[\r\n]/g, '')),
);

/** A file and changes to it that do not overlap, each with a line of its own or an insertion before it. */
const patches = fc
  .record({
    lines: fc.array(line, { maxLength: 30 }),
    eol: fc.constantFrom('\n', '\r\n'),
    ended: fc.boolean(),
    cuts: fc.array(fc.tuple(fc.nat(5), fc.nat(4), fc.array(line, { minLength: 0, maxLength: 4 })), { maxLength: 6 }),
    shuffle: fc.infiniteStream(fc.nat()),
  })
  .map(({ lines: all, eol, ended, cuts, shuffle }) => {
    // Without an end of line, a last line that is empty would not be one.
    const lines = ended || all.at(-1) !== '' ? all : [...all, 'end'];
    const edits: { start: number; count: number; replacement: string[] }[] = [];
    let next = 0;
    for (const [skip, count, replacement] of cuts) {
      const start = next + skip;
      if (start > lines.length) break;
      const fitting = Math.min(count, lines.length - start);
      edits.push({ start, count: fitting, replacement });
      next = start + fitting + (fitting === 0 ? 1 : 0);
    }
    const changes = edits
      .map(({ start, count, replacement }) =>
        change(
          start + 1,
          start + count,
          lines.slice(start, start + count).join('\n'),
          replacement.map((each) => `${each}\n`).join(''),
        ),
      )
      .map((each) => ({ each, key: shuffle.next().value }))
      .toSorted((one, other) => one.key - other.key)
      .map(({ each }) => each);
    const text = lines.join(eol) + (ended && lines.length > 0 ? eol : '');
    return { text, lines, eol, ended: ended || lines.length === 0, edits, changes };
  });

test('applying is the same as splicing the array of lines from the bottom', () => {
  fc.assert(
    fc.property(patches, ({ text, lines, eol, ended, edits, changes }) => {
      const expected = [...lines];
      for (const { start, count, replacement } of edits.toReversed()) expected.splice(start, count, ...replacement);
      // An empty file has no style of its own.
      const end = lines.length === 0 || (lines.length === 1 && !ended) ? '\n' : eol;
      const applied = applyChanges(text, changes);
      expect(applied).toEqual({
        text: expected.join(end) + (ended && expected.length > 0 ? end : ''),
        lines: expected.length,
      });
    }),
    { numRuns: 2000 },
  );
});

test('one wrong line anywhere and nothing is applied', () => {
  fc.assert(
    fc.property(patches, fc.nat(), ({ text, changes }, pick) => {
      const at = changes.length === 0 ? 0 : pick % changes.length;
      const wrong = changes.map((each, index) =>
        index === at ? { ...each, old_content: `${each.old_content}!` } : each,
      );
      if (wrong.length > 0) expect(applyChanges(text, wrong)).toHaveProperty('problem');
    }),
  );
});
