import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { makeLongPdf, makePdfBomb } from './__fixtures__/make-long-pdf.ts';
import { openArchive, type Archive } from './__fixtures__/open-archive.ts';

const MOST_MEGABYTES = 200;

let archive: Archive;
let server: ServerProcess;
let idle = 0;

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });
beforeAll(async () => {
  archive = await openArchive({ LAMB_EXTRACTION_SECONDS: '90' });
  server = await archive.startServer();
  idle = await readMegabytes('VmRSS');
});
afterAll(() => archive.close());

/** Of the server's process: what it has in memory now, or had at most. */
async function readMegabytes(what: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${String(server.pid)}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

async function readIn(filename: string, content: Uint8Array) {
  const { id: collectionId } = await archive.library.addCollection();
  const { id } = await archive.library.add(collectionId, filename, content);
  const read = () => archive.library.read(id);
  await expect.poll(async () => (await read())?.status, { timeout: 240_000, interval: 200 }).toMatch(/ready|failed/);
  return await read();
}

async function expectWell(): Promise<void> {
  expect((await readMegabytes('VmHWM')) - idle).toBeLessThan(MOST_MEGABYTES);
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
}

test('a PDF that unpacks to 1 GB fails with a reason, and the server is as before', async () => {
  const bomb = makePdfBomb(1024);
  expect(bomb.length).toBeLessThan(2_000_000);
  const document = await readIn('bomb.pdf', bomb);
  expect(document).toMatchObject({ status: 'failed', chunks: 0 });
  expect(document?.problem).toMatch(/\. [A-Z]/);
  await expectWell();
});

test('a PDF of 2,000 pages is read in within the same memory', async () => {
  const document = await readIn('long.pdf', makeLongPdf(2000, 12));
  expect(document).toMatchObject({ status: 'ready', pages: 2000, problem: null });
  expect(document?.chunks).toBeGreaterThanOrEqual(2000);
  expect([...new Set(archive.llm.embedded.values())]).toEqual([1]);
  await expectWell();
});
