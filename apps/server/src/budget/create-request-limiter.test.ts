import { expect, test } from 'vitest';
import { createRequestLimiter } from './create-request-limiter.ts';

test('a minute’s worth at once, then one each time the bucket has filled by one', () => {
  let now = 0;
  const limiter = createRequestLimiter({ now: () => now });
  expect([limiter.take('a', 3), limiter.take('a', 3), limiter.take('a', 3)]).toEqual([undefined, undefined, undefined]);
  expect(limiter.take('a', 3)).toBe(20);
  expect(limiter.take('b', 3)).toBeUndefined();
  now = 19_000;
  expect(limiter.take('a', 3)).toBe(1);
  // Asking too early costs nothing.
  now = 20_000;
  expect(limiter.take('a', 3)).toBeUndefined();
  expect(limiter.take('a', 3)).toBe(20);
  now = 1e9;
  expect([1, 2, 3, 4].map(() => limiter.take('a', 3))).toEqual([undefined, undefined, undefined, 20]);
});

test('remembers only so many keys, the latest ones', () => {
  const limiter = createRequestLimiter({ now: () => 0, maxKeys: 2 });
  for (const key of ['a', 'b', 'a', 'c']) limiter.take(key, 1);
  expect(limiter.take('a', 1)).toBe(60);
  expect(limiter.take('b', 1)).toBeUndefined();
});
