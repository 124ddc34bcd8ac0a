import { DocumentsAdded } from '@lamb/contract';
import { deleteCollection, withTenant } from '@lamb/store';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { makeLongPdf, makePdfBomb } from './__fixtures__/make-long-pdf.ts';
import { openArchive, type Archive } from './__fixtures__/open-archive.ts';

const MOST_MEGABYTES = 200;
/** The longest texts that are taken, one after the other. */
const MOST_MEGABYTES_OF_TEXTS = 300;

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

async function expectWell(mostMegabytes = MOST_MEGABYTES): Promise<void> {
  expect((await readMegabytes('VmHWM')) - idle).toBeLessThan(mostMegabytes);
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

test('texts of any size that are uploaded at once stay within bounds, and what is too long says so', async () => {
  const { id: collectionId } = await archive.library.addCollection();
  const upload = async (name: string, megabytes: number): Promise<string> => {
    const line = `In ${name} it is written that water sinks into the soil, and that what does not runs away.\n\n`;
    const form = new FormData();
    form.append('file', new Blob([line.repeat(Math.floor((megabytes * 1_000_000) / line.length))]), `${name}.txt`);
    const response = await fetch(`${server.url}/lamb/v1/collections/${String(collectionId)}/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${archive.key}` },
      body: form,
    });
    expect(response.status).toBe(201);
    return DocumentsAdded.parse(await response.json()).items[0]?.document.id ?? '';
  };
  // From here on it is one batch after the other, as of any document.
  archive.llm.script({ when: { path: '/api/embed' }, times: 'always', faults: { hangBeforeHeaders: true } });
  const expectStatus = async (id: string, status: string) => {
    const read = () => archive.library.read(id);
    await expect.poll(async () => (await read())?.status, { timeout: 120_000, interval: 200 }).toBe(status);
    return await read();
  };
  expect(await expectStatus(await upload('endless', 24), 'failed')).toMatchObject({ problemCode: 'too_much_text' });
  for (const id of await Promise.all([upload('north', 8), upload('south', 8)])) {
    expect((await expectStatus(id, 'embedding'))?.progress?.total).toBeGreaterThan(5000);
  }
  await expectWell(MOST_MEGABYTES_OF_TEXTS);
  await withTenant(archive.db, archive.library.organizationId, (tx) => deleteCollection(tx, collectionId));
  archive.llm.reset();
});
