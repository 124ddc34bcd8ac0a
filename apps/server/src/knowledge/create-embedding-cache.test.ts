import { expect, test } from 'vitest';
import { createEmbeddingCache } from './create-embedding-cache.ts';

const embedded = { vector: Float32Array.of(1), providerMs: 5 };
const textOf = (text: string) => ({ organizationId: 'o', provider: 'p', model: 'm', dimensions: 1, text });

test('a vector is remembered for a while, and the oldest is forgotten first', async () => {
  let time = 0;
  const made: string[] = [];
  const cache = createEmbeddingCache({ ttlMs: 100, maxTexts: 2, now: () => time });
  const find = (text: string) =>
    cache.find(textOf(text), () => {
      made.push(text);
      return Promise.resolve(embedded);
    });
  for (const text of ['a', 'a', 'b', 'c', 'b', 'a']) await find(text);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
  time = 100;
  await find('a');
  expect(made.at(-1)).toBe('a');
  expect(made).toHaveLength(5);
});

test('what failed is not remembered', async () => {
  const cache = createEmbeddingCache();
  await expect(cache.find(textOf('a'), () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await cache.find(textOf('a'), () => Promise.resolve(embedded))).toEqual(embedded);
});
