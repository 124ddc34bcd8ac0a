import { expect, test } from 'vitest';
import { readMicros, readTokens, writeMicros, writeTokens } from './amounts.ts';

test.each([
  ['', null],
  ['0', 0],
  ['1000000', 1_000_000],
  ['1.000.000', 1_000_000],
  ['1,000,000', 1_000_000],
  ['1 000 000', 1_000_000],
  ['1.000,000', undefined],
  ['12.5', undefined],
  ['-1', undefined],
  ['1e6', undefined],
  ['9999999999999999', undefined],
])('%j tokens', (text, expected) => {
  expect(readTokens(text)).toBe(expected);
});

test.each([
  ['', null],
  ['0', 0],
  ['12', 12_000_000],
  ['12.5', 12_500_000],
  ['12,50', 12_500_000],
  ['0.000001', 1],
  ['0.15', 150_000],
  ['1.000,00', undefined],
  ['-3', undefined],
  ['3 €', undefined],
  ['99999999999', undefined],
])('%j of money', (text, expected) => {
  expect(readMicros(text)).toBe(expected);
});

test('what is written is read back', () => {
  for (const amount of [null, 0, 1, 150_000, 12_500_000]) {
    expect(readMicros(writeMicros(amount))).toBe(amount);
    expect(readTokens(writeTokens(amount))).toBe(amount);
  }
});
