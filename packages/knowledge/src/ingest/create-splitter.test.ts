import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { listChildren } from '../__fixtures__/list-children.ts';
import type { ExtractedDocument } from '../extract/extracted-document.ts';
import { createSplitter, type Splitter } from './create-splitter.ts';

const LIMITS = { maxTokens: 300, overlapTokens: 40 };
const never = new AbortController().signal;
const opened: Splitter[] = [];
const patient = { timeout: 20_000, interval: 5 };

vi.setConfig({ testTimeout: 60_000 });
afterEach(async () => {
  for (const splitter of opened.splice(0)) splitter.close();
  await vi.waitFor(async () => expect(await listSplitters()).toEqual([]), patient);
});

function open(options: Parameters<typeof createSplitter>[0] = {}): Splitter {
  const splitter = createSplitter(options);
  opened.push(splitter);
  return splitter;
}

function write(
  paragraphs: number,
  words = 'Water sinks into the soil, and what does not runs away.',
): ExtractedDocument {
  const blocks = Array.from({ length: paragraphs }, () => ({ kind: 'paragraph' as const, text: words }));
  return { title: null, pages: null, blocks };
}
const small = write(3);
/** Seconds of work. */
const long = write(40_000);

async function listSplitters(): Promise<number[]> {
  const pids = await listChildren();
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => commands[index]?.includes('split-process') === true);
}

async function findChild(): Promise<number> {
  return await vi.waitFor(async () => {
    const [pid] = await listSplitters();
    if (pid === undefined) throw new Error('There is no child.');
    return pid;
  }, patient);
}

/** Whether signals are on their way to a process. */
async function isSignalled(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return !/^ShdPnd:\s+0+$/m.test(status);
}

test('documents are cut, one after the other', async () => {
  const splitter = open();
  const [one, two] = await Promise.all([splitter.split(small, LIMITS, never), splitter.split(small, LIMITS, never)]);
  expect(one).toHaveLength(1);
  expect(two).toEqual(one);
});

test('who leaves does not take the child from who comes after', async () => {
  const splitter = open({ idleMs: 300, deadlineMs: 20_000 });
  await splitter.split(small, LIMITS, never);
  const leaving = new AbortController();
  const left = splitter.split(small, LIMITS, leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  // Longer than the child would stay without work.
  expect((await splitter.split(write(4000), LIMITS, never)).length).toBeGreaterThan(100);
});

test('a child without work ends, and the next document starts another', async () => {
  const splitter = open({ idleMs: 50 });
  await splitter.split(small, LIMITS, never);
  const first = await findChild();
  await vi.waitFor(async () => expect(await listChildren()).not.toContain(first), { timeout: 10_000 });
  expect(await splitter.split(small, LIMITS, never)).toHaveLength(1);
});

test('a document that takes too long fails alone, and its time begins when it is worked on', async () => {
  const splitter = open({ deadlineMs: 4000 });
  const slow = splitter.split(write(400_000), LIMITS, never);
  const waits = splitter.split(small, LIMITS, never);
  await expect(slow).rejects.toMatchObject({ code: 'took_too_long' });
  expect(await waits).toHaveLength(1);
});

test('a child that runs out of memory fails what it was working on, and nothing else', async () => {
  const splitter = open();
  const first = splitter.split(long, LIMITS, never);
  const waits = splitter.split(small, LIMITS, never);
  process.kill(await findChild(), 'SIGKILL');
  await expect(first).rejects.toMatchObject({ code: 'too_much_memory' });
  expect(await waits).toHaveLength(1);
});

test('signals that are meant for the server are not the document’s fault', async () => {
  const splitter = open();
  await splitter.split(small, LIMITS, never);
  const child = await findChild();
  const cut = splitter.split(long, LIMITS, never);
  process.kill(child, 'SIGINT');
  process.kill(child, 'SIGTERM');
  await vi.waitFor(async () => expect(await isSignalled(child)).toBe(false), patient);
  expect(await findChild()).toBe(child);
  // One that nobody ignores: it is begun again, in another child.
  process.kill(child, 'SIGHUP');
  expect((await cut).length).toBeGreaterThan(1000);
});

test('a document that ends its child every time is given up', async () => {
  const splitter = open();
  const cut = splitter.split(long, LIMITS, never);
  const given = expect(cut).rejects.toThrow('again and again');
  const killed = new Set<number>();
  await vi.waitFor(
    async () => {
      const child = await findChild();
      if (!killed.has(child)) process.kill(child, 'SIGHUP');
      killed.add(child);
      expect(killed.size).toBe(3);
    },
    { timeout: 30_000, interval: 5 },
  );
  await given;
});
