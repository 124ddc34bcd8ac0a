import { expect, test } from 'vitest';
import { readReturnPath } from './read-return-path.ts';

const origin = 'https://lamb.example';

test.each([['/assistants'], ['/assistants/7?tab=tools#prompt'], ['/']])('%s is gone back to', (path) => {
  expect(readReturnPath(path, origin)).toBe(path);
});

test.each([
  [null],
  [''],
  ['https://evil.example/'],
  ['//evil.example/'],
  ['/\\evil.example/'],
  ['/\t/evil.example/'],
  ['\\\\evil.example'],
  ['javascript:alert(1)'],
  ['/..//evil.example'],
  ['/.//evil.example'],
])('%j leads nowhere else', (path) => {
  expect(readReturnPath(path, origin)).toBeUndefined();
});
