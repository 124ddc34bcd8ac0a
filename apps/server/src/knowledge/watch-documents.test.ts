import { changeDocument } from '@lamb/knowledge';
import { createDocument, openDatabase, withTenant, type StoredDocument } from '@lamb/store';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createLibrary, type Library } from './__fixtures__/create-library.ts';
import { createDocumentWatch, type DocumentNews } from './watch-documents.ts';

let lamb: TestServer;
let library: Library;

vi.setConfig({ testTimeout: 30_000 });
beforeAll(async () => {
  lamb = await startTestServer();
  library = createLibrary(lamb.services.db, lamb.north.id, lamb.north.teacher.id);
});
afterAll(() => lamb.stop());

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 15_000 });
const inTenant = <Result>(work: Parameters<typeof withTenant<Result>>[2]) =>
  withTenant(lamb.services.db, lamb.north.id, work);

/** A watch whose news come when the test says so, over connections that it can take away. */
function openWatch(collectionId: number) {
  const { databaseUrl } = lamb.services.config;
  const told: DocumentNews[] = [];
  const errors: unknown[] = [];
  let hear: (news?: string) => void = () => undefined;
  let db = openDatabase(databaseUrl);
  const current = new Proxy(db, {
    get(_target, name) {
      const value: unknown = Reflect.get(db, name, db);
      return typeof value === 'function' ? (value.bind(db) as unknown) : value;
    },
  });
  const watch = createDocumentWatch(
    {
      watch: (_topic, onNews) => {
        hear = onNews;
        return () => undefined;
      },
    },
    { db: current, onError: (error) => errors.push(error) },
  );
  const stop = watch.watch({ organizationId: lamb.north.id, id: collectionId }, (news) => told.push(news));
  return {
    told,
    errors,
    hear: (news?: string) => {
      hear(news);
    },
    loseDatabase: () => db.destroy(),
    findDatabase: () => {
      db = openDatabase(databaseUrl);
    },
    close: async () => {
      stop();
      await db.destroy();
    },
    statusOf: ({ id }: StoredDocument) =>
      told
        .flatMap(({ documents }) => documents)
        .filter((document) => document.id === id)
        .at(-1)?.status,
  };
}

/** A document that waits to be read in; nobody will. */
async function addWaiting(collectionId: number, name: string): Promise<StoredDocument> {
  const content = Buffer.from(name);
  const made = await inTenant((tx) => createDocument(tx, { collectionId, filename: name, mediaType: '', content }));
  return made.document;
}

const finish = (document: StoredDocument) =>
  inTenant((tx) => changeDocument(tx, document, { status: 'failed', progress: null }));

test('what was said while the database was gone is told when it is back', async () => {
  const { id } = await library.addCollection();
  const document = await addWaiting(id, 'gone');
  const watch = openWatch(id);
  await eventually(() => watch.statusOf(document)).toBe('queued');
  await watch.loseDatabase();
  await finish(document);
  watch.hear(document.id);
  await eventually(() => watch.errors.length).toBeGreaterThan(0);
  watch.findDatabase();
  await eventually(() => watch.statusOf(document)).toBe('failed');
  await watch.close();
});

test('who has missed news is told of what ended meanwhile, also when it began meanwhile or is gone', async () => {
  const { id } = await library.addCollection();
  const [ended, deleted] = [await addWaiting(id, 'ended'), await addWaiting(id, 'deleted')];
  const watch = openWatch(id);
  await eventually(() => watch.statusOf(deleted)).toBe('queued');
  const begun = await addWaiting(id, 'begun');
  await finish(begun);
  // Long ago, as a change is that took long to be seen.
  await inTenant(async (tx) => {
    await changeDocument(tx, ended, { status: 'failed', progress: null });
    await tx
      .updateTable('lamb.documents')
      .set({ updated_at: new Date(0) })
      .where('id', '=', ended.id)
      .execute();
  });
  await inTenant((tx) => tx.deleteFrom('lamb.documents').where('id', '=', deleted.id).execute());
  watch.hear();
  await eventually(() => watch.statusOf(ended)).toBe('failed');
  expect(watch.statusOf(begun)).toBe('failed');
  expect(watch.told.flatMap((news) => news.deleted)).toContain(deleted.id);
  await watch.close();
});
