import { createDocument, withTenant } from '@lamb/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLibrary } from '../knowledge/__fixtures__/create-library.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { listEveryCollection, listEveryDocument } from './list-everything.ts';

let lamb: TestServer;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(() => lamb.stop());

test('a list is whole, over several pages, or says that it cannot be', async () => {
  const { id: organizationId, teacher } = lamb.north;
  const { id } = await createLibrary(lamb.services.db, organizationId, teacher.id).addCollection();
  await withTenant(lamb.services.db, organizationId, async (tx) => {
    for (let n = 0; n < 101; n += 1) {
      const content = Buffer.from(String(n));
      await createDocument(tx, { collectionId: id, filename: `${String(n)}.txt`, mediaType: '', content });
    }
    expect(await listEveryDocument(tx, id, 101)).toHaveLength(101);
    expect(await listEveryCollection(tx, teacher.id)).toHaveLength(1);
    await expect(listEveryDocument(tx, id, 100)).rejects.toThrow(/more than 100 entries.*page by page/);
  });
});
