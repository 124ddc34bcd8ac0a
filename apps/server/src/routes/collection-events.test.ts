import type { DocumentResource } from '@lamb/contract';
import { updateCollection, withTenant } from '@lamb/store';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createLibrary, type Library } from '../knowledge/__fixtures__/create-library.ts';
import { makeLongPdf } from '../knowledge/__fixtures__/make-long-pdf.ts';
import { writeCourse } from '../knowledge/__fixtures__/write-course.ts';
import { removeDocument } from '../knowledge/remove-document.ts';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;
let library: Library;

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
beforeAll(async () => {
  lamb = await startTestServer();
  library = createLibrary(lamb.services.db, lamb.north.id, lamb.north.teacher.id);
});
afterAll(() => lamb.stop());
afterEach(() => {
  lamb.llm.reset();
});

type Told = { event: 'document'; data: DocumentResource } | { event: 'deleted'; data: { id: string } };

/** What somebody is told, from when the stream is open until they leave or it ends. */
async function follow({ key }: Person, collectionId: number) {
  const leaving = new AbortController();
  const response = await fetch(`${lamb.url}/lamb/v1/collections/${String(collectionId)}/events`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  const told: Told[] = [];
  const ended = (async () => {
    let rest = '';
    for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      rest += Buffer.from(bytes).toString();
      const frames = rest.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
        if (event !== undefined) told.push({ event, data: JSON.parse(data ?? '') } as Told);
      }
    }
  })().catch(() => undefined);
  return { status: response.status, told, ended, leave: () => leaving.abort() };
}

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000 });
const statusesOf = (told: readonly Told[]) =>
  told.flatMap(({ event, data }) => (event === 'document' ? [data.status] : []));

const textsOf = (told: readonly Told[]) =>
  told.flatMap(({ event, data }) => (event === 'document' && data.progress ? [data.progress.text] : []));

test('who follows a collection is told how many pages of a PDF are read', async () => {
  const { id } = await library.addCollection();
  const follower = await follow(lamb.north.teacher, id);
  await library.add(id, 'twelve.pdf', makeLongPdf(12, 40));
  await eventually(() => statusesOf(follower.told).at(-1)).toBe('ready');
  follower.leave();
  expect(textsOf(follower.told).join()).toMatch(/extracting (1|3|7|12)\/12 pages/);
});

test('who follows a collection is told how far its documents are, until they are ready', async () => {
  const { id } = await library.addCollection();
  lamb.llm.script({ when: { path: '/api/embed' }, times: 'always', firstDelayMs: 60 });
  const follower = await follow(lamb.north.teacher, id);
  const document = await library.add(id, 'course.md', writeCourse('p', 40));
  await eventually(() => statusesOf(follower.told).at(-1)).toBe('ready');
  follower.leave();
  // What follows quickly is told as one: each text may be left out, and none may come before an earlier one.
  const order = ['queued', 'extracting', 'embedding', 'ready'];
  const places = statusesOf(follower.told).map((status) => order.indexOf(status));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(textsOf(follower.told).join()).toMatch(/embedding \d+\/40 chunks/);
  expect(follower.told.at(-1)?.data).toMatchObject({ id: document.id, chunks: 40, progress: null });
});

test('who comes late is first told what is under way, and who watches together is read for once', async () => {
  const { id } = await library.addCollection();
  lamb.llm.script({ when: { path: '/api/embed' }, faults: { hangBeforeHeaders: true } });
  const document = await library.add(id, 'course.md', writeCourse('q', 20));
  await eventually(() => lamb.llm.requests).toHaveLength(1);
  const followers = await Promise.all([lamb.north.teacher, lamb.north.teacher].map((person) => follow(person, id)));
  for (const { told } of followers) {
    await eventually(() => told.at(-1)?.data).toMatchObject({ id: document.id, status: 'embedding' });
  }
  await withTenant(lamb.services.db, lamb.north.id, (tx) => removeDocument(tx, document));
  for (const { told, leave } of followers) {
    await eventually(() => told.at(-1)).toEqual({ event: 'deleted', data: { id: document.id } });
    leave();
  }
});

test('only those who may read the collection follow it, and no longer than they may', async () => {
  const { id } = await library.addCollection();
  expect((await follow(lamb.north.colleague, id)).status).toBe(404);
  expect((await follow(lamb.south.teacher, id)).status).toBe(404);
  const show = (visibility: 'private' | 'organization') =>
    withTenant(lamb.services.db, lamb.north.id, (tx) => updateCollection(tx, id, { visibility }));
  await show('organization');
  const reader = await follow(lamb.north.colleague, id);
  expect(reader.status).toBe(200);
  await show('private');
  lamb.llm.script({ when: { path: '/api/embed' }, times: 'always', firstDelayMs: 300 });
  await library.add(id, 'course.md', writeCourse('z', 120));
  await reader.ended;
  expect(statusesOf(reader.told)).not.toContain('ready');
});
