import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  countDrafts,
  discardDrafts,
  listUncutDocuments,
  listWaitingDrafts,
  putDraftEmbeddings,
  putDrafts,
  reuseEmbeddings,
} from './chunk-drafts.ts';
import { findChunkAt, listChunks, type NewChunk } from './chunks.ts';
import { createCollection, deleteCollection, getCollection, type Collection } from './collections.ts';
import { createDocument, deleteDocument, getDocument } from './documents.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import { publishCollectionDrafts, publishDocumentDrafts, type PublishOutcome } from './publish-drafts.ts';
import type { TenantTx } from './with-tenant.ts';

let store: TestStore;
let tenant: TestTenant;
let collection: Collection;

beforeAll(async () => {
  store = await openTestStore();
  tenant = await store.addTenant();
});

afterAll(() => store.close());

beforeEach(async () => {
  collection = await tenant.run((tx) =>
    createCollection(tx, {
      ownerId: tenant.teacherId,
      name: randomUUID(),
      language: 'english',
      embedding: { provider: 'p', model: 'm', dimensions: 3 },
    }),
  );
});

const toChunk = (content: string, index: number): NewChunk => ({
  content,
  headingPath: ['Shared heading', `Section ${String(index % 3)}`],
  pageFrom: null,
  pageTo: null,
  tokens: 5,
  start: index * 100,
  end: index * 100 + content.length,
});

async function addDocument(tx: TenantTx): Promise<string> {
  const { document } = await createDocument(tx, {
    collectionId: collection.id,
    filename: 'a.txt',
    mediaType: 'text/plain',
    content: Buffer.from(randomUUID()),
  });
  return document.id;
}

async function draft(
  tx: TenantTx,
  documentId: string,
  texts: readonly string[],
  { jobId = randomUUID(), dimensions = 3 } = {},
): Promise<string> {
  await putDrafts(tx, { jobId, documentId }, texts.map(toChunk));
  const waiting = await listWaitingDrafts(tx, { jobId, documentId }, 1000);
  const embedding = Array.from({ length: dimensions }, (_each, index) => index + 1);
  await putDraftEmbeddings(
    tx,
    jobId,
    waiting.map((each) => ({ ...each, embedding })),
  );
  return jobId;
}

const publish = (documentId: string, texts: readonly string[]): Promise<PublishOutcome> =>
  tenant.run(async (tx) => {
    const jobId = await draft(tx, documentId, texts);
    const { id, indexVersion } = collection;
    return await publishDocumentDrafts(tx, { jobId, documentId, collectionId: id, indexVersion });
  });

const nouns = [
  'cell',
  'Zellen',
  'tree',
  'river',
  'kings',
  'running',
  'ran',
  'of',
  'the',
  '3.14',
  'a-b-c',
  'x@example.org',
];
const makeTexts = (count: number, seed: number): string[] =>
  Array.from({ length: count }, (_each, index) =>
    Array.from({ length: 8 }, (_word, place) => nouns[(seed * 5 + index * 7 + place * place) % nouns.length]).join(' '),
  );

/** The frequencies as they are kept, and as they would be if the passages that are there were counted now. */
async function readFrequencies(): Promise<{ kept: unknown; counted: unknown }> {
  return await tenant.run(async (tx) => {
    const kept = await sql`
      select lexeme, chunks from lamb.lexeme_frequencies where collection_id = ${collection.id}
      union all select 0, coalesce(sum(chunks), 0) from lamb.lexeme_stats where collection_id = ${collection.id}
      order by 1`.execute(tx);
    const counted = await sql`
      with words as (
        select distinct k.id, lamb.lexeme_index(word.lexeme) as lexeme
        from lamb.chunks k join lamb.collections c on c.id = k.collection_id,
          unnest(to_tsvector(c.language::regconfig, array_to_string(k.heading_path, ' ') || ' ' || k.content)) word
        where c.id = ${collection.id}
      )
      select lexeme, count(*)::integer as chunks from words group by 1
      union all select 0, count(*)::integer from lamb.chunks where collection_id = ${collection.id}
      order by 1`.execute(tx);
    const toNumbers = (rows: unknown[]) =>
      (rows as { lexeme: number; chunks: number }[]).map(({ lexeme, chunks }) => [lexeme, chunks]);
    return { kept: toNumbers(kept.rows), counted: toNumbers(counted.rows) };
  });
}

async function expectExactFrequencies(): Promise<void> {
  const { kept, counted } = await readFrequencies();
  expect(kept).toEqual(counted);
}

/** Rows of the narrow tables, which must be exactly those of the passages. */
async function readChunkIds(): Promise<{ chunks: number[]; vectors: number[]; lexemes: number[] }> {
  return await tenant.run(async (tx) => {
    const read = async (table: 'lamb.chunk_vectors' | 'lamb.chunk_lexemes') =>
      (
        await tx
          .selectFrom(table)
          .select('chunk_id')
          .where('collection_id', '=', collection.id)
          .orderBy('chunk_id')
          .execute()
      ).map((row) => row.chunk_id);
    const chunks = await tx
      .selectFrom('lamb.chunks')
      .select('id')
      .where('collection_id', '=', collection.id)
      .orderBy('id')
      .execute();
    return {
      chunks: chunks.map((row) => row.id),
      vectors: await read('lamb.chunk_vectors'),
      lexemes: await read('lamb.chunk_lexemes'),
    };
  });
}

test('frequencies are exact after every addition, replacement and deletion', async () => {
  const documents = await tenant.run(async (tx) => [
    await addDocument(tx),
    await addDocument(tx),
    await addDocument(tx),
  ]);
  for (const [index, documentId] of documents.entries()) {
    expect(await publish(documentId, makeTexts(10 + index, index))).toBe('published');
    await expectExactFrequencies();
  }
  const [first = '', second = '', third = ''] = documents;
  expect(await publish(second, makeTexts(4, 9))).toBe('published');
  await expectExactFrequencies();
  expect(await publish(third, [])).toBe('published');
  await expectExactFrequencies();
  const before = await readChunkIds();
  expect(before.vectors).toEqual(before.chunks);
  expect(before.lexemes).toEqual(before.chunks);
  expect(before.chunks).toHaveLength(14);
  expect(await tenant.run((tx) => deleteDocument(tx, first))).toBe(true);
  await expectExactFrequencies();
  expect(await tenant.run((tx) => deleteDocument(tx, second))).toBe(true);
  expect(await readFrequencies()).toEqual({ kept: [[0, 0]], counted: [[0, 0]] });
  expect(await readChunkIds()).toEqual({ chunks: [], vectors: [], lexemes: [] });
});

test('documents that are published at the same time do not lose each other’s words, nor lock each other out', async () => {
  const documents = await tenant.run((tx) => addSeveral(tx, 8));
  for (let round = 0; round < 3; round++) {
    await Promise.all(documents.map((id, index) => publish(id, makeTexts(6, index + round * 3))));
  }
  await Promise.all(documents.slice(0, 4).map((id) => tenant.run((tx) => deleteDocument(tx, id))));
  await expectExactFrequencies();
});

test('a document that is published while its collection is embedded anew comes too late', async () => {
  const documentId = await tenant.run(addDocument);
  await publish(documentId, ['alpha']);
  const jobId = randomUUID();
  const { started } = await tenant.run(async (tx) => {
    await draft(tx, documentId, ['alpha'], { jobId, dimensions: 5 });
    const indexing = { ...collection, embedding: { provider: 'q', model: 'n', dimensions: 5 } };
    expect(await publishCollectionDrafts(tx, { jobId, collectionId: collection.id, indexing })).toBe('published');
    const late = publish(documentId, ['beta']);
    await vi.waitFor(async () => {
      const { rows } = await sql`select from pg_locks where not granted`.execute(tx);
      expect(rows.length).toBeGreaterThan(0);
    }, 5000);
    return { started: late };
  });
  expect(await started).toBe('outdated');
  await expectExactFrequencies();
});

async function addSeveral(tx: TenantTx, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await addDocument(tx));
  return ids;
}

test('a collection is read anew all at once: language, cut, model and number of dimensions', async () => {
  const [first = '', second = ''] = await tenant.run((tx) => addSeveral(tx, 2));
  await publish(first, makeTexts(5, 1));
  await publish(second, makeTexts(5, 2));
  const jobId = randomUUID();
  const indexing = {
    language: 'german',
    embedding: { provider: 'q', model: 'n', dimensions: 5 },
    chunking: { maxTokens: 100, overlapTokens: 10 },
  };
  await tenant.run((tx) => draft(tx, first, makeTexts(3, 4), { jobId, dimensions: 5 }));
  const swap = () => tenant.run((tx) => publishCollectionDrafts(tx, { jobId, collectionId: collection.id, indexing }));
  expect(await tenant.run((tx) => listUncutDocuments(tx, { jobId, collectionId: collection.id }))).toMatchObject([
    { id: second },
  ]);
  expect(await swap()).toBe('incomplete');
  expect((await readChunkIds()).chunks).toHaveLength(10);
  await tenant.run((tx) => draft(tx, second, makeTexts(4, 5), { jobId, dimensions: 5 }));
  expect(await swap()).toBe('published');
  await expectExactFrequencies();
  expect(await tenant.run((tx) => getCollection(tx, collection.id))).toMatchObject({
    ...indexing,
    indexVersion: 2,
    documents: 2,
    chunks: 7,
  });
  const ids = await readChunkIds();
  expect(ids.vectors).toEqual(ids.chunks);
  // What was cut for the way before is not mixed in.
  expect(await publish(first, makeTexts(2, 2))).toBe('outdated');
  expect(await tenant.run((tx) => countDrafts(tx, { jobId }))).toBeUndefined();
});

test('nothing is published before every passage has its vector, nor with another number of dimensions', async () => {
  const documentId = await tenant.run(addDocument);
  const jobId = randomUUID();
  const key = { jobId, documentId };
  const attempt = () =>
    tenant.run((tx) => publishDocumentDrafts(tx, { ...key, collectionId: collection.id, indexVersion: 1 }));
  expect(await attempt()).toBe('incomplete');
  expect(await tenant.run((tx) => putDrafts(tx, key, ['one', 'two'].map(toChunk)))).toBe(true);
  expect(await tenant.run((tx) => putDrafts(tx, key, ['other'].map(toChunk)))).toBe(false);
  const fill = (embedding: number[]) =>
    tenant.run(async (tx) => {
      const [next] = await listWaitingDrafts(tx, key, 1);
      if (next !== undefined) await putDraftEmbeddings(tx, jobId, [{ ...next, embedding }]);
    });
  await fill([1, 2, 3]);
  expect(await tenant.run((tx) => countDrafts(tx, key))).toEqual({ chunks: 2, embedded: 1 });
  expect(await attempt()).toBe('incomplete');
  await fill([1, 2]);
  await expect(attempt()).rejects.toThrow('vectors of 2 dimensions, and the collection has 3');
  expect(await readChunkIds()).toEqual({ chunks: [], vectors: [], lexemes: [] });
  await tenant.run((tx) => discardDrafts(tx, key));
  expect(await tenant.run((tx) => countDrafts(tx, key))).toBeUndefined();
});

test('a document that is gone stays gone, whatever a job still holds of it', async () => {
  const documentId = await tenant.run(addDocument);
  const jobId = await tenant.run((tx) => draft(tx, documentId, ['one']));
  await tenant.run((tx) => deleteDocument(tx, documentId));
  const { id: collectionId } = collection;
  const attempt = () =>
    tenant.run((tx) => publishDocumentDrafts(tx, { jobId, documentId, collectionId, indexVersion: 1 }));
  expect(await attempt()).toBe('gone');
  await tenant.run((tx) => deleteCollection(tx, collectionId));
  expect(await attempt()).toBe('gone');
});

test('passages that stay the same keep their vectors', async () => {
  const documentId = await tenant.run(addDocument);
  await publish(documentId, ['same', 'changed']);
  const jobId = randomUUID();
  await tenant.run(async (tx) => {
    await putDrafts(tx, { jobId, documentId }, ['same', 'new'].map(toChunk));
    expect(await reuseEmbeddings(tx, { jobId, documentId })).toBe(1);
    expect(await listWaitingDrafts(tx, { jobId }, 10)).toMatchObject([{ content: 'new', ordinal: 1 }]);
  });
});

test('passages are listed in order and found by their place', async () => {
  const documentId = await tenant.run(addDocument);
  const texts = Array.from({ length: 25 }, (_each, index) => `passage ${String(index)}`);
  await publish(documentId, texts);
  const first = await tenant.run((tx) => listChunks(tx, { documentId, limit: 20 }));
  const rest = await tenant.run((tx) => listChunks(tx, { documentId, limit: 20, cursor: first.nextCursor ?? '' }));
  expect([...first.items, ...rest.items].map((chunk) => chunk.content)).toEqual(texts);
  expect(rest.nextCursor).toBeNull();
  const found = await tenant.run((tx) => findChunkAt(tx, documentId, 250));
  expect(found).toMatchObject({ ordinal: 2, start: 200, headingPath: ['Shared heading', 'Section 2'] });
  expect(await tenant.run((tx) => getDocument(tx, documentId))).toMatchObject({ status: 'ready', chunks: 25 });
});

test('a passage of more different words than fit into a page is kept all the same', async () => {
  const documentId = await tenant.run(addDocument);
  const words = Array.from({ length: 3000 }, (_each, index) => `w${String(index)}x`).join(' ');
  expect(await publish(documentId, [words])).toBe('published');
  await expectExactFrequencies();
});

test('a collection that has become small gives up its vector index, also when documents are deleted', async () => {
  const documentId = await tenant.run(addDocument);
  await publish(documentId, ['one', 'two']);
  // As if it had been large.
  await store.db
    .insertInto('ops.vector_indexes')
    .values({ collection_id: collection.id, wanted_dimensions: 3, built_dimensions: 3 })
    .execute();
  await tenant.run((tx) => deleteDocument(tx, documentId));
  const index = await store.db
    .selectFrom('ops.vector_indexes')
    .selectAll()
    .where('collection_id', '=', collection.id)
    .executeTakeFirst();
  expect(index).toMatchObject({ wanted_dimensions: null, built_dimensions: 3 });
});
