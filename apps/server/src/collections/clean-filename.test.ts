import { expect, test } from 'vitest';
import { cleanFilename } from './clean-filename.ts';

test.each([
  ['notes.md', 'notes.md'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ada\\notes.md', 'notes.md'],
  ['a\u0000b\u202egpj.exe', 'abgpj.exe'],
  ['..', 'document'],
  ['', 'document'],
  ['  spaced out.pdf ', 'spaced out.pdf'],
  ['n\u0303otes.txt', 'ñotes.txt'],
])('%j is called %j', (name, clean) => {
  expect(cleanFilename(name)).toBe(clean);
});

test('a long name keeps its ending', () => {
  const clean = cleanFilename(`${'𝄞'.repeat(500)}.pdf`);
  expect(Array.from(clean)).toHaveLength(200);
  expect(clean).toMatch(/^𝄞+\.pdf$/u);
});
