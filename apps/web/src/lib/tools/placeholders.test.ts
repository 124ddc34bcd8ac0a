import { PlaceholderName } from '@lamb/contract';
import { expect, test } from 'vitest';
import { findPlaceholders, freeName, isPlaceholderName, namesIn } from './placeholders.ts';

test('are found as the engine finds them', () => {
  expect(findPlaceholders('{{a}} {B} {a b} {c_2}')).toEqual([
    { name: 'a', from: 1, to: 4 },
    { name: 'c_2', from: 16, to: 21 },
  ]);
  expect(namesIn('{a}{b}{a}')).toEqual(['a', 'b']);
});

test('are named by the server’s rule', () => {
  for (const name of [
    'a',
    'context_2',
    'A',
    '',
    'x'.repeat(64),
    'x'.repeat(65),
    'constructor',
    'x\n',
    '1a',
    '_a',
    'é',
  ]) {
    expect(isPlaceholderName(name), name).toBe(PlaceholderName.safeParse(name).success);
  }
});

test('a taken name is numbered', () => {
  expect(freeName('context', new Set())).toBe('context');
  expect(freeName('context', new Set(['context', 'context_2']))).toBe('context_3');
});
