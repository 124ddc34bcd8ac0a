import { deleteCollection, sumUsageBy, takeJob, withTenant, type StoredDocument } from '@lamb/store';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { countSentTexts } from './__fixtures__/count-sent-texts.ts';
import { createLibrary, VECTORS, type Library } from './__fixtures__/create-library.ts';
import { writeCourse } from './__fixtures__/write-course.ts';
import { cancelDocument } from './cancel-document.ts';
import { removeDocument } from './remove-document.ts';
import { retryDocument } from './retry-document.ts';
import { startIngestion } from './start-ingestion.ts';
import { startReindex } from './start-reindex.ts';

let lamb: TestServer;
let library: Library;

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
beforeAll(async () => {
  lamb = await startTestServer({ LAMB_EMBEDDING_PATIENCE_SECONDS: '3' });
  library = createLibrary(lamb.services.db, lamb.north.id, lamb.north.teacher.id);
});
afterAll(() => lamb.stop());
afterEach(() => {
  lamb.llm.reset();
});

const PATH = '/api/embed';
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000 });
const inTenant = <Result>(work: Parameters<typeof withTenant<Result>>[2]) =>
  withTenant(lamb.services.db, library.organizationId, work);
const statusOf = async ({ id }: StoredDocument) => (await library.read(id))?.status;
const openJobs = async () => (await lamb.services.db.selectFrom('ops.jobs').select('id').execute()).length;
const listDrafted = async () =>
  (await inTenant((tx) => tx.selectFrom('lamb.chunk_drafts').select('document_id as id').execute())).map(
    ({ id }) => id,
  );
const timesEmbedded = () => [...new Set(lamb.llm.embedded.values())];

async function read(document: StoredDocument): Promise<StoredDocument> {
  const found = await library.read(document.id);
  if (!found) throw new Error('The document is gone.');
  return found;
}

test('a document is read in: every passage embedded once, booked, and searchable', async () => {
  const { id } = await library.addCollection();
  const document = await library.add(id, 'course.md', writeCourse('a', 40));
  await eventually(() => statusOf(document)).toBe('ready');
  expect(await read(document)).toMatchObject({ chunks: 40, progress: null, problem: null });
  const texts = await library.listTexts(document.id);
  expect([...lamb.llm.embedded.keys()].sort()).toEqual(texts.sort());
  expect(timesEmbedded()).toEqual([1]);
  expect(lamb.llm.requests.map(({ body }) => (body as { input: unknown[] }).input.length)).toEqual([16, 16, 8]);
  expect(await openJobs()).toBe(0);
  const range = { from: new Date(0), to: new Date(Date.now() + 60_000) };
  const usage = await inTenant((tx) => sumUsageBy(tx, range, 'model'));
  const words = [...lamb.llm.embedded.keys()].join(' ').match(/[\p{L}\p{N}]+/gu)?.length;
  expect(usage).toMatchObject([{ key: 'ollama/nomic-embed-text', totalTokens: words }]);
});

/** Says what happened, and in another sentence what to do next. */
function expectProblem({ problem, problemCode }: StoredDocument, code: string, text: RegExp): void {
  expect(problemCode).toBe(code);
  expect(problem).toMatch(text);
  expect(problem).toMatch(/[.;”] [A-Z].*\.$/);
}

describe('what cannot be read in says why, and leaves the collection as it was', () => {
  test.each([
    ['a broken PDF', 'broken.pdf', '%PDF-1.7\nnothing more', 'corrupt', /damaged/],
    ['an empty text', 'empty.txt', ' \n', 'no_text', /No text/],
    [
      'a picture',
      'picture.png',
      new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]),
      'unsupported_format',
      /cannot be read/,
    ],
  ])('%s', async (_what, filename, content, code, problem) => {
    const { id } = await library.addCollection();
    const document = await library.add(id, filename, content);
    await eventually(() => statusOf(document)).toBe('failed');
    expectProblem(await read(document), code, problem);
    expect(await openJobs()).toBe(0);
    expect(await library.readCollection(id)).toMatchObject({ chunks: 0 });
  });

  test.each([
    ['limits for too long', { status: 429, retryAfterSeconds: 60 }, 'provider_limited', /limiting requests/],
    ['is down', { status: 503, retryAfterSeconds: 60 }, 'provider_unavailable', /status 503/],
    ['refuses the key', { status: 401 }, 'provider_credentials', /did not accept/],
    ['does not know the model', { status: 404 }, 'provider_rejected', /does not know the model/],
    ['refuses the request', { status: 400 }, 'provider_rejected', /status 400/],
    ['answers nonsense', { brokenJsonAtChunk: 1 }, 'provider_malformed', /no JSON/],
  ])('a provider that %s', async (_what, faults, code, problem) => {
    const { id } = await library.addCollection();
    lamb.llm.script({ when: { path: PATH }, times: 'always', faults });
    const document = await library.add(id, 'course.md', writeCourse('f', 3));
    await eventually(() => statusOf(document)).toBe('failed');
    expectProblem(await read(document), code, problem);
    expect(await library.readCollection(id)).toMatchObject({ chunks: 0 });
  });

  test('a provider whose model has changed', async () => {
    const { id } = await library.addCollection();
    lamb.llm.script({ when: { path: PATH }, times: 'always', dimensions: 20 });
    const document = await library.add(id, 'course.md', writeCourse('d', 3));
    await eventually(() => statusOf(document)).toBe('failed');
    expectProblem(await read(document), 'provider_dimensions', /20 numbers.*made for 16/);
  });
});

test('a provider that fails now and then is asked again', async () => {
  const { id } = await library.addCollection();
  lamb.llm.script(
    { when: { path: PATH }, faults: { status: 500 } },
    { when: { path: PATH }, faults: { status: 429, retryAfterSeconds: 1 } },
  );
  const document = await library.add(id, 'course.md', writeCourse('r', 20));
  await eventually(() => statusOf(document)).toBe('ready');
  expect(timesEmbedded()).toEqual([1]);
});

test('who tries again goes on where it had stopped', async () => {
  const { id } = await library.addCollection();
  lamb.llm.script({ when: { path: PATH } }, { when: { path: PATH }, faults: { status: 401 } });
  const document = await library.add(id, 'course.md', writeCourse('again', 40));
  await eventually(() => statusOf(document)).toBe('failed');
  expect(lamb.llm.embedded.size).toBe(16);
  await inTenant(async (tx) => retryDocument(tx, await read(document)));
  await eventually(() => statusOf(document)).toBe('ready');
  expect(lamb.llm.embedded.size).toBe(40);
  expect(timesEmbedded()).toEqual([1]);
  // Each once, and again the batch that was refused.
  expect(countSentTexts(lamb.llm)).toBe(40 + 16);
  await expect(inTenant(async (tx) => retryDocument(tx, await read(document)))).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('of several who try again at once, one does', async () => {
  const { id } = await library.addCollection();
  lamb.llm.script({ when: { path: PATH }, faults: { status: 401 } }, { when: { path: PATH }, firstDelayMs: 300 });
  const document = await library.add(id, 'course.md', writeCourse('once', 10));
  await eventually(() => statusOf(document)).toBe('failed');
  const failed = await read(document);
  const tries = await Promise.allSettled([1, 2, 3, 4].map(() => inTenant((tx) => retryDocument(tx, failed))));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(tries.filter(({ status }) => status === 'rejected')).toMatchObject(
    Array.from({ length: 3 }, () => ({ reason: { code: 'invalid_request' } })),
  );
  expect(await openJobs()).toBe(1);
  await eventually(() => statusOf(document)).toBe('ready');
  await eventually(openJobs).toBe(0);
  expect(lamb.llm.requests).toHaveLength(2);
});

test('a job for a document that is read in already does nothing', async () => {
  const { id } = await library.addCollection();
  const document = await library.add(id, 'course.md', writeCourse('done', 10));
  await eventually(() => statusOf(document)).toBe('ready');
  await inTenant((tx) => startIngestion(tx, document));
  await eventually(openJobs).toBe(0);
  expect(await statusOf(document)).toBe('ready');
  expect(lamb.llm.requests).toHaveLength(1);
});

test('an attempt that has lost its job keeps nothing, and what it had asked for is asked for under the same key', async () => {
  const { db } = lamb.services;
  const { id } = await library.addCollection();
  lamb.llm.script({ when: { path: PATH }, firstDelayMs: 500 });
  const document = await library.add(id, 'course.md', writeCourse('lost', 20));
  await eventually(() => lamb.llm.requests).toHaveLength(1);
  // As if another process had taken it over, and died.
  const { id: jobId } = await db.selectFrom('ops.jobs').select('id').executeTakeFirstOrThrow();
  await takeJob(db, jobId);
  await db
    .insertInto('ops.executors')
    .values({ id: 'gone', seen_at: new Date(0) })
    .execute();
  await sql`update dbos.workflow_status set executor_id = 'gone' where workflow_uuid = ${jobId}`.execute(db);
  await eventually(() => statusOf(document)).toBe('ready');
  const keys = lamb.llm.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(keys[1]).toBe(keys[0]);
  expect(lamb.llm.embedded.size).toBe(20);
  expect(timesEmbedded()).toEqual([1]);
});

describe('while a provider hangs', () => {
  const hang = () => {
    lamb.llm.script({ when: { path: PATH }, faults: { hangBeforeHeaders: true } });
  };

  test('a document is cancelled at once, and can be tried again', async () => {
    const { id } = await library.addCollection();
    hang();
    const document = await library.add(id, 'course.md', writeCourse('c', 20));
    await eventually(() => lamb.llm.requests).toHaveLength(1);
    expect(await read(document)).toMatchObject({ status: 'embedding', progress: { text: 'embedding 0/20 chunks' } });
    await inTenant((tx) => cancelDocument(tx, document));
    expect(await statusOf(document)).toBe('cancelled');
    await eventually(() => lamb.llm.requests[0]?.closedEarlyAt).toBeDefined();
    expect(await openJobs()).toBe(0);
    await inTenant(async (tx) => retryDocument(tx, await read(document)));
    await eventually(() => statusOf(document)).toBe('ready');
    await inTenant((tx) => cancelDocument(tx, document));
    expect(await statusOf(document)).toBe('ready');
  });

  test('a document is deleted, and its job ends', async () => {
    const { id } = await library.addCollection();
    hang();
    const document = await library.add(id, 'course.md', writeCourse('d', 20));
    await eventually(() => lamb.llm.requests).toHaveLength(1);
    await inTenant((tx) => removeDocument(tx, document));
    await eventually(() => lamb.llm.requests[0]?.closedEarlyAt).toBeDefined();
    expect(await library.read(document.id)).toBeUndefined();
    expect(await openJobs()).toBe(0);
    expect(await listDrafted()).not.toContain(document.id);
  });
});

describe('a collection is deleted', () => {
  const remove = (id: number) => lamb.call(lamb.north.teacher, 'DELETE', `/lamb/v1/collections/${String(id)}`);

  test('while a provider hangs, and its jobs end', async () => {
    const { id } = await library.addCollection();
    lamb.llm.script({ when: { path: PATH }, times: 2, faults: { hangBeforeHeaders: true } });
    for (const name of ['a', 'b', 'c']) await library.add(id, `${name}.md`, writeCourse(name, 20));
    await eventually(() => lamb.llm.requests).toHaveLength(2);
    expect((await remove(id)).status).toBe(204);
    expect(await openJobs()).toBe(0);
    await eventually(() => lamb.llm.requests.every((request) => request.closedEarlyAt !== undefined)).toBe(true);
  });

  test('at any moment of reading its documents in, without anybody in the way of anybody', async () => {
    lamb.llm.script({ when: { path: PATH }, times: 'always', firstDelayMs: 1 });
    for (let n = 0; n < 12; n += 1) {
      const { id } = await library.addCollection();
      for (const name of ['a', 'b']) await library.add(id, `${name}.md`, writeCourse(`${name}${String(n)}`, 48));
      // One batch more each time, so that it falls onto each of their steps.
      const before = lamb.llm.requests.length;
      await eventually(() => lamb.llm.requests.length - before).toBeGreaterThan(n % 6);
      const removed = await remove(id);
      expect(removed.status, removed.text).toBe(204);
      expect(await library.readCollection(id)).toBeUndefined();
    }
    await eventually(openJobs).toBe(0);
  });
});

describe('a collection is read anew', () => {
  async function fill(): Promise<{ id: number; documents: StoredDocument[] }> {
    const { id } = await library.addCollection();
    const documents = [
      await library.add(id, 'one.md', writeCourse('one', 10)),
      await library.add(id, 'two.md', writeCourse('two', 10)),
    ];
    for (const document of documents) await eventually(() => statusOf(document)).toBe('ready');
    lamb.llm.reset();
    return { id, documents };
  }
  const reindex = async (id: number, change: Parameters<typeof startReindex>[2]) => {
    const collection = await library.readCollection(id);
    if (!collection) throw new Error('The collection is gone.');
    await inTenant((tx) => startReindex(tx, collection, change));
  };
  const isReindexing = async (id: number) => (await library.readCollection(id))?.reindexJobId !== null;

  test('with another language nothing is embedded again', async () => {
    const { id } = await fill();
    await reindex(id, { language: 'english' });
    await eventually(() => isReindexing(id)).toBe(false);
    expect(await library.readCollection(id)).toMatchObject({ language: 'english', chunks: 20, indexVersion: 2 });
    expect(lamb.llm.requests).toEqual([]);
  });

  test('and of a document that had failed before, no draft is left behind', async () => {
    const { id } = await fill();
    lamb.llm.script({ when: { path: PATH } }, { when: { path: PATH }, faults: { status: 401 } });
    const failed = await library.add(id, 'failed.md', writeCourse('failed', 20));
    await eventually(() => statusOf(failed)).toBe('failed');
    expect(await listDrafted()).toContain(failed.id);
    await reindex(id, { language: 'english' });
    await eventually(() => isReindexing(id)).toBe(false);
    expect(await listDrafted()).not.toContain(failed.id);
    await inTenant((tx) => retryDocument(tx, failed));
    await eventually(() => statusOf(failed)).toBe('ready');
  });

  test('with other passages and another model, all at once; what is searched meanwhile is the old state, and new documents wait', async () => {
    const { id, documents } = await fill();
    lamb.llm.script({ when: { path: PATH }, firstDelayMs: 1500 });
    await reindex(id, { embedding: { ...VECTORS, dimensions: 24 }, chunking: { maxTokens: 50, overlapTokens: 0 } });
    await eventually(() => lamb.llm.requests).toHaveLength(1);
    const late = await library.add(id, 'late.md', writeCourse('late', 3));
    await expect(reindex(id, {})).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await library.readCollection(id)).toMatchObject({ chunks: 20, embedding: VECTORS });
    expect(await statusOf(late)).toBe('queued');
    await eventually(() => isReindexing(id)).toBe(false);
    await eventually(() => statusOf(late)).toBe('ready');
    const after = await library.readCollection(id);
    expect(after).toMatchObject({ embedding: { dimensions: 24 }, reindexProblem: null });
    expect(after?.chunks).toBeGreaterThan(23);
    for (const document of documents) expect(await statusOf(document)).toBe('ready');
    expect(timesEmbedded()).toEqual([1]);
  });

  test('and stays as it was when that fails, with the reason', async () => {
    const { id, documents } = await fill();
    lamb.llm.script({ when: { path: PATH }, times: 'always', faults: { status: 401 } });
    await reindex(id, { embedding: { ...VECTORS, model: 'other' } });
    await eventually(() => isReindexing(id)).toBe(false);
    const after = await library.readCollection(id);
    expect(after).toMatchObject({ chunks: 20, embedding: VECTORS, indexVersion: 1 });
    expect(after?.reindexProblem).toMatch(/did not accept/);
    expect(after?.reindexProblemCode).toBe('provider_credentials');
    for (const document of documents) expect(await listDrafted()).not.toContain(document.id);
  });
});

test('an organisation whose provider hangs does not keep another one waiting', async () => {
  const south = createLibrary(lamb.services.db, lamb.south.id, lamb.south.teacher.id);
  const [{ id: mine }, { id: theirs }] = await Promise.all([library.addCollection(), south.addCollection()]);
  lamb.llm.script({ when: { path: PATH, contains: 'stuck' }, times: 'always', faults: { hangBeforeHeaders: true } });
  for (let n = 0; n < 3; n += 1) await library.add(mine, `${String(n)}.md`, writeCourse(`stuck${String(n)}`, 2));
  await eventually(() => lamb.llm.requests).toHaveLength(2);
  const theirDocument = await south.add(theirs, 'theirs.md', writeCourse('theirs', 2));
  await eventually(async () => (await south.read(theirDocument.id))?.status).toBe('ready');
  expect(lamb.llm.requests.filter((request) => request.closedEarlyAt !== undefined)).toEqual([]);
  await inTenant((tx) => deleteCollection(tx, mine));
  await eventually(openJobs).toBe(0);
});

test('an organisation that adds much does not keep another one waiting', async () => {
  const south = createLibrary(lamb.services.db, lamb.south.id, lamb.south.teacher.id);
  const [{ id: mine }, { id: theirs }] = await Promise.all([library.addCollection(), south.addCollection()]);
  lamb.llm.script({ when: { path: PATH }, times: 'always', firstDelayMs: 100 });
  const many: StoredDocument[] = [];
  for (let n = 0; n < 8; n += 1) many.push(await library.add(mine, `${String(n)}.md`, writeCourse(`n${String(n)}`, 2)));
  const few = await south.add(theirs, 'few.md', writeCourse('few', 2));
  await eventually(async () => (await south.read(few.id))?.status).toBe('ready');
  const left = await Promise.all(many.map(statusOf));
  expect(left.filter((status) => status === 'queued').length).toBeGreaterThanOrEqual(2);
  for (const document of many) await eventually(() => statusOf(document)).toBe('ready');
});
