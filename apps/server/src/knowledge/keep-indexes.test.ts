import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { keepIndexes } from './keep-indexes.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.stop());

test('an index that is asked for is built, and one that is given up is dropped, without anybody waiting', async () => {
  const { db } = server.services;
  const stop = keepIndexes(server.services, { everyMs: 20 });
  const readBuilt = async () =>
    (
      await db
        .selectFrom('ops.vector_indexes')
        .select('built_dimensions')
        .where('collection_id', '=', 7)
        .executeTakeFirstOrThrow()
    ).built_dimensions;
  try {
    await db
      .insertInto('ops.vector_indexes')
      .values({ collection_id: 7, wanted_dimensions: 8, built_dimensions: null })
      .execute();
    await vi.waitFor(async () => {
      expect(await readBuilt()).toBe(8);
    }, 10_000);
    await db
      .updateTable('ops.vector_indexes')
      .set({ wanted_dimensions: null })
      .where('collection_id', '=', 7)
      .execute();
    await vi.waitFor(async () => {
      expect(await readBuilt()).toBeNull();
    }, 10_000);
  } finally {
    stop();
  }
});
