import { randomUUID } from 'node:crypto';
import {
  deleteCollection,
  formatVector,
  getCollection,
  keepVectorIndexes,
  publishCollectionDrafts,
  putDrafts,
  reviewVectorIndex,
  type Collection,
} from '@lamb/store';
import { embedText } from '@lamb/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildSearch } from './build-search.ts';
import {
  embedDrafts,
  openKnowledge,
  toChunk,
  type Knowledge,
  type Organization,
} from './__fixtures__/open-knowledge.ts';
import { searchCollections } from './search-collections.ts';
import type { SearchHit } from './search-hit.ts';

let knowledge: Knowledge;
let one: Organization;

beforeAll(async () => {
  knowledge = await openKnowledge();
  one = await knowledge.addOrganization();
});

afterAll(() => knowledge.close());

const topics = ['cells', 'stars', 'verbs', 'rivers', 'kings', 'atoms', 'poems', 'taxes'];
const makeText = (index: number): string =>
  Array.from(
    { length: 12 },
    (_each, word) => `${topics[(index + word * word) % 8] ?? ''}${String((index * 7 + word * 13) % 90)}`,
  ).join(' ');

async function addLarge(count: number): Promise<Collection> {
  const collection = await one.addCollection();
  for (let index = 0; index < count; index += 500) {
    await one.addDocument(
      collection,
      Array.from({ length: 500 }, (_each, place) => makeText(index + place)),
    );
  }
  return collection;
}

const reload = async (id: number): Promise<Collection> => {
  const found = await one.run((tx) => getCollection(tx, id));
  if (found === undefined) throw new Error('The collection is gone.');
  return found;
};

const searchByVector = (collection: Collection, query: string): Promise<SearchHit[]> =>
  one.run((tx) =>
    searchCollections(tx, {
      readerId: one.teacherId,
      collections: [collection],
      query,
      vectors: [{ embedding: collection.embedding, vector: embedText(query, collection.embedding.dimensions) }],
      mode: 'vector',
      topK: 10,
      threshold: 0,
    }),
  );

const listIndexes = async (id: number): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select indexname as name from pg_indexes where schemaname = 'lamb' and indexname like ${`chunk_vectors_hnsw_${String(id)}_%`}
  `.execute(knowledge.db);
  return rows.map((row) => row.name);
};

async function explain(collection: Collection): Promise<string> {
  return await one.run(async (tx) => {
    const compiled = buildSearch({
      readerId: one.teacherId,
      collections: [collection],
      query: 'x',
      lexical: [],
      dense: [
        {
          vector: formatVector(embedText('x', collection.embedding.dimensions)),
          dimensions: collection.embedding.dimensions,
          exact: collection.hasVectorIndex ? [] : [collection.id],
          indexed: collection.hasVectorIndex ? [collection.id] : [],
        },
      ],
      threshold: 0,
      topK: 10,
    }).compile(tx);
    const { rows } = await tx.executeQuery<{ 'QUERY PLAN': string }>({ ...compiled, sql: `explain ${compiled.sql}` });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

test('a large collection gets an index of its own, which finds what comparing with all finds', async () => {
  const collection = await addLarge(3000);
  const neighbour = await addLarge(500);
  const exact = new Map<string, number[]>();
  const queries = Array.from({ length: 20 }, (_each, index) => makeText(index * 31 + 5));
  for (const query of queries)
    exact.set(
      query,
      (await searchByVector(collection, query)).map((hit) => hit.chunkId),
    );

  await one.run((tx) => reviewVectorIndex(tx, collection.id, { fromChunks: 1000 }));
  await one.run((tx) => reviewVectorIndex(tx, neighbour.id, { fromChunks: 1000 }));
  expect(await keepVectorIndexes(knowledge.db)).toEqual([{ collectionId: collection.id, outcome: 'built' }]);
  expect(await keepVectorIndexes(knowledge.db)).toEqual([]);
  expect(await listIndexes(collection.id)).toEqual([`chunk_vectors_hnsw_${String(collection.id)}_64`]);

  const indexed = await reload(collection.id);
  expect(indexed.hasVectorIndex).toBe(true);
  await sql`analyze lamb.chunk_vectors`.execute(knowledge.db).catch(() => undefined);
  expect(await explain(indexed)).toContain(`Index Scan using chunk_vectors_hnsw_${String(collection.id)}_64`);
  let found = 0;
  for (const query of queries) {
    const ids = (await searchByVector(indexed, query)).map((hit) => hit.chunkId);
    expect(ids).toHaveLength(10);
    found += ids.filter((id) => exact.get(query)?.includes(id)).length;
  }
  expect(found / 200).toBeGreaterThanOrEqual(0.95);
  expect((await reload(neighbour.id)).hasVectorIndex).toBe(false);

  // What comes later is found too.
  await one.addDocument(indexed, ['zebra quagga okapi']);
  expect((await searchByVector(indexed, 'zebra quagga okapi'))[0]?.text).toBe('zebra quagga okapi');
});

test('an index follows a change of dimensions, and goes with its collection', async () => {
  const collection = await one.addCollection();
  const texts = Array.from({ length: 60 }, (_each, index) => makeText(index));
  const documentId = await one.addDocument(collection, texts);
  await one.run((tx) => reviewVectorIndex(tx, collection.id, { fromChunks: 50 }));
  await keepVectorIndexes(knowledge.db);
  const jobId = randomUUID();
  const embedding = { provider: 'test', model: 'larger', dimensions: 96 };
  await one.run(async (tx) => {
    await putDrafts(tx, { jobId, documentId }, texts.map(toChunk));
    await embedDrafts(tx, { jobId }, 96);
    await publishCollectionDrafts(tx, { jobId, collectionId: collection.id, indexing: { ...collection, embedding } });
    await reviewVectorIndex(tx, collection.id, { fromChunks: 50 });
  });
  const between = await reload(collection.id);
  expect(between.hasVectorIndex).toBe(false);
  expect(await searchByVector(between, makeText(3))).toHaveLength(10);
  expect((await keepVectorIndexes(knowledge.db)).map((step) => step.outcome)).toEqual(['dropped', 'built']);
  expect((await reload(collection.id)).hasVectorIndex).toBe(true);
  expect(await listIndexes(collection.id)).toEqual([`chunk_vectors_hnsw_${String(collection.id)}_96`]);

  await one.run((tx) => deleteCollection(tx, collection.id));
  expect(await keepVectorIndexes(knowledge.db)).toEqual([{ collectionId: collection.id, outcome: 'dropped' }]);
  expect(await listIndexes(collection.id)).toEqual([]);
});

test('while the table is in use for long, the index waits for another time', async () => {
  const collection = await one.addCollection();
  await one.addDocument(collection, ['a', 'b']);
  await one.run(async (tx) => {
    await reviewVectorIndex(tx, collection.id, { fromChunks: 1 });
  });
  await one.run(async (tx) => {
    await sql`lock table lamb.chunk_vectors in row exclusive mode`.execute(tx);
    expect(await keepVectorIndexes(knowledge.db)).toEqual([{ collectionId: collection.id, outcome: 'busy' }]);
  });
  expect(await keepVectorIndexes(knowledge.db)).toEqual([{ collectionId: collection.id, outcome: 'built' }]);
}, 20_000);
