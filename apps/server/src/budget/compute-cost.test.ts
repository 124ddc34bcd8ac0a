import { expect, test } from 'vitest';
import { computeCost } from './compute-cost.ts';

const price = { promptMicros: 150_000, completionMicros: 600_000 };

test('a million tokens cost what the table says, both directions together', () => {
  expect(computeCost(price, 1_000_000, 0)).toBe(150_000);
  expect(computeCost(price, 0, 1_000_000)).toBe(600_000);
  expect(computeCost(price, 1_000_000, 1_000_000)).toBe(750_000);
});

test('a fraction counts as a whole, once', () => {
  expect(computeCost(price, 1, 1)).toBe(1);
  expect(computeCost(price, 10, 0)).toBe(2);
  expect(computeCost(price, 0, 0)).toBe(0);
});

test('large amounts stay exact', () => {
  expect(computeCost({ promptMicros: 999_999_999_999, completionMicros: 0 }, 9_999_999, 0)).toBe(9_999_998_999_991);
});

test('a model without a price costs nothing', () => {
  expect(computeCost(undefined, 1_000_000, 1_000_000)).toBe(0);
});
