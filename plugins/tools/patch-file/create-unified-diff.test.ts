import fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUnifiedDiff } from './create-unified-diff.ts';

/** Reads a diff as its format says, checking every line that it names. */
function applyDiff(before: string, diff: string): string {
  if (diff === '') return before;
  const old = before === '' ? [] : before.split(/(?<=\n)/);
  const lines = diff.split(/(?<=\n)/);
  expect(lines.slice(0, 2)).toEqual(['--- a/file\n', '+++ b/file\n']);
  const result: string[] = [];
  let next = 0;
  let index = 2;
  while (index < lines.length) {
    const [oldStart = 0, oldCount = 0, newStart = 0, newCount = 0] =
      /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/
        .exec(lines[index] ?? '')
        ?.slice(1)
        .map(Number) ?? [];
    index += 1;
    const from = oldCount === 0 ? oldStart : oldStart - 1;
    expect(from).toBeGreaterThanOrEqual(next);
    result.push(...old.slice(next, from));
    next = from;
    expect(result.length).toBe(newCount === 0 ? newStart : newStart - 1);
    const [oldEnd, newEnd] = [next + oldCount, result.length + newCount];
    while (next < oldEnd || result.length < newEnd) {
      const sign = lines[index]?.[0] ?? '';
      const open = lines[index + 1]?.startsWith('\\ No newline') ?? false;
      const line = open ? lines[index]?.slice(1, -1) : lines[index]?.slice(1);
      index += open ? 2 : 1;
      expect([' ', '-', '+']).toContain(sign);
      if (sign !== '+') expect(line).toBe(old[next++]);
      if (sign !== '-') result.push(line ?? '');
    }
  }
  return [...result, ...old.slice(next)].join('');
}

test('the format', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n';
  const after = 'a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm';
  expect(createUnifiedDiff('notes/week 1.md', before, after)).toBe(
    [
      '--- a/notes/week 1.md\t',
      '+++ b/notes/week 1.md\t',
      '@@ -1,5 +1,5 @@',
      ' a',
      '-b',
      '+B',
      ' c',
      ' d',
      ' e',
      '@@ -10,3 +10,4 @@',
      ' j',
      ' k',
      ' l',
      '+m',
      '\\ No newline at end of file',
      '',
    ].join('\n'),
  );
  expect(createUnifiedDiff('a', 'same', 'same')).toBe('');
  expect(createUnifiedDiff('a', '', 'x\n')).toBe('--- a/a\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n');
  expect(createUnifiedDiff('a', 'x\n', '')).toBe('--- a/a\n+++ b/a\n@@ -1,1 +0,0 @@\n-x\n');
});

test('it is as short as can be', () => {
  const before = 'a\nb\nc\na\nb\nb\na\n';
  const after = 'c\nb\na\nb\na\nc\n';
  const changed = createUnifiedDiff('a', before, after)
    .split('\n')
    .slice(3)
    .filter((line) => /^[-+]/.test(line));
  expect(changed).toHaveLength(5);
});

const text = fc
  .tuple(
    fc.array(fc.constantFrom('', 'a', 'b', '-a', '+b', '\\ No', '@@ -1,1 +1,1 @@', 'c\r'), { maxLength: 40 }),
    fc.boolean(),
  )
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));

test('patching the old text with the diff gives the new text', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applyDiff(before, createUnifiedDiff('file', before, after))).toBe(after);
    }),
    { numRuns: 1000 },
  );
});

test('it also holds for texts that have nothing in common, in bounded time', () => {
  const before = Array.from({ length: 50_000 }, (_, n) => `${n * 7}\n`).join('');
  const after = Array.from({ length: 50_000 }, (_, n) => `${n * 5}\n`).join('');
  const started = performance.now();
  const diff = createUnifiedDiff('file', before, after);
  expect(performance.now() - started).toBeLessThan(3000);
  expect(diff.slice(0, 60)).toContain('@@ -1,50000 +1,50000 @@\n 0\n-7\n');
});

/** Debian's `patch`; where it is not installed, the tests do without it. */
const program = '/usr/bin/patch';
const hasPatch = spawnSync(program, ['--version']).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'diff-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.skipIf(!hasPatch)('the program `patch` reads it the same way', () => {
  const file = join(folder, 'file');
  const samples = [
    ['a\nb\n', 'a\nB\n'],
    ['a', 'a\n'],
    ['a\n', 'a'],
    ['a\nb', 'c\na\nb'],
    ['x\r\ny\r\n', 'x\r\nz\r\ny'],
    ['', 'new\n'],
    ...fc.sample(fc.tuple(text, text), { numRuns: 60, seed: 20_261_115 }),
  ].filter(([before, after]) => before !== after && after !== '');
  for (const [before = '', after = ''] of samples) {
    writeFileSync(file, before);
    const { status, stdout } = spawnSync(program, ['--binary', '--no-backup-if-mismatch', '-p1'], {
      cwd: folder,
      input: createUnifiedDiff('file', before, after),
      encoding: 'utf8',
    });
    expect(status, stdout).toBe(0);
    expect(stdout).not.toMatch(/fuzz|offset/);
    expect(readFileSync(file, 'utf8')).toBe(after);
  }
});
