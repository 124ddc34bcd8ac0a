import { expect, test, vi } from 'vitest';
import { createBatchQueue } from './create-batch-queue.ts';

const queueOf = () => createBatchQueue<string>(() => undefined);

test('what is pushed in one go arrives as one batch', async () => {
  const queue = queueOf();
  const first = queue.next();
  for (const item of ['a', 'b', 'c']) {
    queue.items.push(item);
    queue.wake();
  }
  expect(await first).toEqual({ value: ['a', 'b', 'c'], done: false });
});

test('what was pushed before anyone asked arrives at once', async () => {
  const queue = queueOf();
  queue.items.push('a');
  queue.wake();
  queue.items.push('b');
  queue.wake();
  expect(await queue.next()).toEqual({ value: ['a', 'b'], done: false });
});

test('a delivered batch is not touched again', async () => {
  const queue = queueOf();
  queue.items.push('a');
  const { value } = await queue.next();
  queue.items.push('b');
  expect(value).toEqual(['a']);
});

test('the rest is delivered before the end', async () => {
  const queue = queueOf();
  queue.items.push('a');
  queue.finish();
  expect(await queue.next()).toEqual({ value: ['a'], done: false });
  expect(await queue.next()).toEqual({ value: undefined, done: true });
  expect(await queue.next()).toEqual({ value: undefined, done: true });
});

test('the rest is delivered before the failure', async () => {
  const queue = queueOf();
  const waiting = queue.next();
  queue.items.push('a');
  queue.wake();
  queue.fail(new Error('broken'));
  expect(await waiting).toEqual({ value: ['a'], done: false });
  await expect(queue.next()).rejects.toThrow('broken');
});

test('a failure reaches whoever waits, and the first one counts', async () => {
  const queue = queueOf();
  const waiting = queue.next();
  queue.fail(new Error('first'));
  queue.fail(new Error('second'));
  queue.finish();
  await expect(waiting).rejects.toThrow('first');
});

test('what was cleared is not delivered', async () => {
  const queue = queueOf();
  queue.items.push('a');
  queue.clear();
  queue.fail(new Error('aborted'));
  await expect(queue.next()).rejects.toThrow('aborted');
});

test('taking a batch is reported, so that the source can go on', async () => {
  const onTake = vi.fn();
  const queue = createBatchQueue<string>(onTake);
  queue.items.push('a');
  expect(onTake).not.toHaveBeenCalled();
  await queue.next();
  expect(onTake).toHaveBeenCalledOnce();
});
