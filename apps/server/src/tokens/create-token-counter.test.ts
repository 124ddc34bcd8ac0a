import { afterAll, expect, test } from 'vitest';
import { createTokenCounter } from './create-token-counter.ts';

const counter = createTokenCounter();
afterAll(() => counter.close());

test('counts as the models do, text that looks like a control token included', async () => {
  expect(await counter.count(['', 'hello world', '<|endoftext|>'])).toEqual([0, 2, 7]);
});

test('keeps answers apart that are asked for at the same time', async () => {
  const [one, two] = await Promise.all([counter.count(['hello']), counter.count(['hello world', ''])]);
  expect([one, two]).toEqual([[1], [2, 0]]);
});

test('tells those who wait when it is closed', async () => {
  const closing = createTokenCounter();
  const counted = closing.count(['hello']);
  await Promise.all([closing.close(), expect(counted).rejects.toThrow('closed')]);
});
