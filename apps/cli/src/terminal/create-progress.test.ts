import { expect, test } from 'vitest';
import { createProgress } from './create-progress.ts';

function record(isTTY: boolean) {
  const written: string[] = [];
  const output = { isTTY, columns: 40, write: (text: string) => void written.push(text) };
  return { written, progress: createProgress(output) };
}

test('on a terminal a bar is drawn over itself and taken away', () => {
  const { written, progress } = record(true);
  progress.show(1, 2, 'embedding 12/24 chunks of a file with a long name');
  const bar = written.at(-1) ?? '';
  expect(bar).toMatch(/^█{12}░{12} 1\/2 /);
  expect(bar.length).toBeLessThan(40);
  progress.say('done');
  progress.end();
  expect(written.at(-2)).toBe('done\n');
  expect(written.at(-1)).toBe('\r\u001b[K');
});

test('elsewhere there are lines only, and nothing that a terminal would obey', () => {
  const { written, progress } = record(false);
  progress.show(1, 2, 'embedding');
  progress.say('evil\u001b[2J\u202e.pdf: ready');
  progress.end();
  expect(written).toEqual(['evil[2J.pdf: ready\n']);
});
