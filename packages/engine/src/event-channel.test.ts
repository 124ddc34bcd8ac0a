import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventChannel, type EventChannel } from './event-channel.ts';

async function readAll(channel: EventChannel<number>): Promise<number[]> {
  const events: number[] = [];
  for (let step = await channel.next(); !step.done; step = await channel.next()) events.push(step.value);
  return events;
}

function fill(channel: EventChannel<number>, count: number): void {
  for (let number = 1; number <= count; number += 1) channel.push(number);
}

async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  return await Promise.race([
    Promise.resolve(promise).then(() => true),
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ]);
}

describe('an event channel', () => {
  it('gives what was pushed before the close, then ends, and stays ended', async () => {
    const channel = createEventChannel<number>();
    fill(channel, 3);
    channel.close();
    channel.push(4);
    expect(await readAll(channel)).toEqual([1, 2, 3]);
    expect(await channel.next()).toEqual({ done: true, value: undefined });
  });

  it('wakes a waiting reader with the next event, and with the close', async () => {
    const channel = createEventChannel<number>();
    const first = channel.next();
    channel.push(1);
    expect(await first).toEqual({ done: false, value: 1 });
    const second = channel.next();
    channel.close();
    expect(await second).toEqual({ done: true, value: undefined });
  });

  it('keeps the order whatever way pushes and reads are mixed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('push', 'read', 'wait'), { maxLength: 200 }), async (moves) => {
        const channel = createEventChannel<number>();
        const reads: ReturnType<typeof channel.next>[] = [];
        let pushed = 0;
        for (const move of moves) {
          if (move === 'read' && pushed === reads.length) continue;
          if (move !== 'push') reads.push(channel.next());
          // One reader waits at a time.
          if (move === 'push' || pushed < reads.length) channel.push((pushed += 1));
        }
        channel.close();
        const early = (await Promise.all(reads)).map(({ value }) => value);
        expect([...early, ...(await readAll(channel))]).toEqual(
          Array.from({ length: pushed }, (_, index) => index + 1),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('holds its producers back when the reader does not keep up, until half is read', async () => {
    const channel = createEventChannel<number>();
    fill(channel, 63);
    expect(channel.ready()).toBeUndefined();
    channel.push(64);
    const congestion = channel.ready();
    expect(congestion).toBeDefined();
    expect(channel.ready(), 'one wait for all producers').toBe(congestion);
    for (let read = 0; read < 32; read += 1) await channel.next();
    expect(await isSettled(congestion)).toBe(false);
    await channel.next();
    expect(await isSettled(congestion)).toBe(true);
    expect(channel.ready()).toBeUndefined();
  });

  it('lets its producers go when it is closed', async () => {
    const channel = createEventChannel<number>();
    fill(channel, 100);
    const congestion = channel.ready();
    channel.close();
    expect(await isSettled(congestion)).toBe(true);
    expect(channel.ready()).toBeUndefined();
  });

  it('is congested a second time when it fills again', async () => {
    const channel = createEventChannel<number>();
    fill(channel, 64);
    const first = channel.ready();
    for (let read = 0; read < 64; read += 1) await channel.next();
    fill(channel, 64);
    const second = channel.ready();
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
    expect(await isSettled(second)).toBe(false);
  });
});
