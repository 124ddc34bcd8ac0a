import type { findApiKeyByDigest } from '@lamb/store';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createKeyCache } from './key-cache.ts';

type FoundKey = NonNullable<Awaited<ReturnType<typeof findApiKeyByDigest>>>;

const found = { key: { id: 'k1' } } as FoundKey;

function createLoader(result: FoundKey | undefined = found) {
  let count = 0;
  return {
    count: () => count,
    load: () => {
      count += 1;
      return Promise.resolve(result);
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('looks a busy key up once a second', async () => {
  const cache = createKeyCache();
  const { load, count } = createLoader();
  for (let request = 0; request < 5; request += 1) expect(await cache.find('a', load)).toBe(found);
  expect(count()).toBe(1);
  vi.advanceTimersByTime(999);
  await cache.find('a', load);
  expect(count()).toBe(1);
  vi.advanceTimersByTime(1);
  await cache.find('a', load);
  expect(count()).toBe(2);
});

it('looks a key up again that was revoked', async () => {
  const cache = createKeyCache();
  await cache.find('a', createLoader().load);
  cache.forget('a');
  expect(await cache.find('a', () => Promise.resolve(undefined))).toBeUndefined();
});

it('does not remember what was being read while it was revoked', async () => {
  const cache = createKeyCache();
  const reading = Promise.withResolvers<FoundKey>();
  const request = cache.find('a', () => reading.promise);
  cache.forget('a');
  reading.resolve(found);
  expect(await request).toBe(found);
  expect(await cache.find('a', () => Promise.resolve(undefined))).toBeUndefined();
});

it('does not remember keys that nobody has', async () => {
  const cache = createKeyCache();
  const { load, count } = createLoader();
  expect(await cache.find('a', () => Promise.resolve(undefined))).toBeUndefined();
  expect(await cache.find('a', load)).toBe(found);
  expect(count()).toBe(1);
});

it('keeps the newest when there are too many', async () => {
  const cache = createKeyCache({ maxKeys: 2 });
  const { load, count } = createLoader();
  for (const digest of ['a', 'b', 'c']) await cache.find(digest, load);
  expect(count()).toBe(3);
  await cache.find('b', load);
  await cache.find('c', load);
  expect(count()).toBe(3);
  await cache.find('a', load);
  expect(count()).toBe(4);
});
