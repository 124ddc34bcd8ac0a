import { randomUUID } from 'node:crypto';
import {
  findReadableCollections,
  getCollection,
  publishCollectionDrafts,
  putDrafts,
  shareCollection,
  unshareCollection,
  updateCollection,
  type Collection,
} from '@lamb/store';
import { embedText } from '@lamb/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  embedDrafts,
  openKnowledge,
  toChunk,
  type Knowledge,
  type Organization,
} from './__fixtures__/open-knowledge.ts';
import { groupByEmbedding } from './group-by-embedding.ts';
import { searchCollections, type CollectionSearch } from './search-collections.ts';
import type { SearchHit } from './search-hit.ts';

let knowledge: Knowledge;
let one: Organization;

beforeAll(async () => {
  knowledge = await openKnowledge();
  one = await knowledge.addOrganization();
});

afterAll(() => knowledge.close());

/** Searches as a caller does: with one vector for each model. */
function search(
  organization: Organization,
  collections: readonly Collection[],
  query: string,
  options: Partial<CollectionSearch> = {},
): Promise<SearchHit[]> {
  const vectors = groupByEmbedding(collections).map(({ embedding }) => ({
    embedding,
    vector: embedText(query, embedding.dimensions),
  }));
  return organization.run((tx) =>
    searchCollections(tx, {
      readerId: organization.teacherId,
      collections,
      query,
      vectors,
      mode: 'hybrid',
      topK: 5,
      threshold: 0,
      ...options,
    }),
  );
}

const textsOf = (hits: readonly SearchHit[]): string[] => hits.map((hit) => hit.text);

/** The same numbers every time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Words as people use them: few often, many rarely. */
function makeTexts(count: number, random: () => number): string[] {
  return Array.from({ length: count }, () =>
    Array.from({ length: 5 + Math.floor(random() * 200) }, () => `w${String(Math.floor(random() ** 3 * 300))}x`).join(
      ' ',
    ),
  );
}

function scoreByBm25(texts: readonly string[], query: string): Map<string, number> {
  const documents = texts.map((text) => text.split(' '));
  const scores = new Map<string, number>();
  for (const term of new Set(query.split(' '))) {
    const having = documents.filter((words) => words.includes(term)).length;
    if (having === 0) continue;
    const rarity = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
    for (const [index, words] of documents.entries()) {
      const n = words.filter((word) => word === term).length;
      if (n === 0) continue;
      const text = texts[index] ?? '';
      const part = (rarity * n * 2.2) / (n + 1.2 * (0.25 + (0.75 * words.length) / 120));
      scores.set(text, (scores.get(text) ?? 0) + part);
    }
  }
  return scores;
}

test('by words, the score is BM25', async () => {
  const random = createRandom(7);
  const texts = makeTexts(150, random);
  const collection = await one.addCollection({ language: 'simple' });
  for (let index = 0; index < texts.length; index += 50)
    await one.addDocument(collection, texts.slice(index, index + 50));
  for (let round = 0; round < 20; round++) {
    const query = Array.from({ length: 4 }, () => `w${String(Math.floor(random() ** 2 * 300))}x`).join(' ');
    const expected = scoreByBm25(texts, query);
    const hits = await search(one, [collection], query, { mode: 'lexical', topK: 20 });
    expect(hits.length).toBe(Math.min(20, expected.size));
    expect(hits.map((hit) => hit.lexicalRank)).toEqual(hits.map((_hit, index) => index + 1));
    const best = [...expected.values()].sort((a, b) => b - a);
    for (const [index, hit] of hits.entries()) {
      expect(hit.similarity).toBeNull();
      expect(hit.lexicalScore).toBeCloseTo(expected.get(hit.text) ?? -1, 3);
      expect(hit.lexicalScore).toBeCloseTo(best[index] ?? -1, 3);
    }
  }
});

test('words are stems of the collection’s language, and headings count', async () => {
  const english = await one.addCollection({ language: 'english' });
  const spanish = await one.addCollection({ language: 'spanish' });
  for (const collection of [english, spanish]) {
    await one.addDocument(collection, [
      'Cells are dividing.',
      'Las células se dividen.',
      { text: 'It follows from the axioms.', headings: ['Geometry', 'Parallel lines'] },
    ]);
  }
  const find = (collection: Collection, query: string) =>
    search(one, [collection], query, { mode: 'lexical' }).then(textsOf);
  expect(await find(english, 'divided cell')).toEqual(['Cells are dividing.']);
  expect(await find(spanish, 'dividir')).toEqual(['Las células se dividen.']);
  expect(await find(english, 'what is a parallel line?')).toEqual(['It follows from the axioms.']);
  expect(await find(english, 'the of and')).toEqual([]);
  await one.addDocument(english, [
    'Volcanoes, five words in all.',
    { text: 'Five words in all.', headings: ['Volcanoes'] },
  ]);
  expect(await find(english, 'volcano')).toEqual(['Five words in all.', 'Volcanoes, five words in all.']);
});

test('by vector, similarity is the cosine, from 0 to 1', async () => {
  const collection = await one.addCollection();
  await one.addDocument(collection, ['alpha beta gamma', 'alpha beta delta', 'omega psi chi']);
  const hits = await search(one, [collection], 'alpha beta gamma', { mode: 'vector' });
  expect(textsOf(hits).slice(0, 2)).toEqual(['alpha beta gamma', 'alpha beta delta']);
  expect(hits.map((hit) => hit.denseRank)).toEqual([1, 2, 3]);
  expect(hits[0]?.similarity).toBeCloseTo(1, 2);
  for (const hit of hits) {
    const cosine = embedText(hit.text, 64).reduce(
      (sum, value, index) => sum + value * (embedText('alpha beta gamma', 64)[index] ?? 0),
      0,
    );
    expect(hit.similarity).toBeCloseTo(Math.min(1, Math.max(0, cosine)), 2);
    expect(hit.similarity).toBeLessThanOrEqual(1);
    expect(hit).toMatchObject({ lexicalRank: null, lexicalScore: null });
  }
});

test('both ranks are fused by their weights', async () => {
  const collection = await one.addCollection();
  // The vector sees the whole text, words are counted by how rare they are: the two orders differ.
  await one.addDocument(collection, ['rare', 'common common common word', 'common word again', 'nothing of it']);
  const lexical = await search(one, [collection], 'common rare word', { mode: 'lexical' });
  const dense = await search(one, [collection], 'common rare word', { mode: 'vector' });
  const ranking = { lexicalWeight: 3, denseWeight: 1, rankConstant: 7 };
  const hits = await search(one, [collection], 'common rare word', { ranking });
  expect(hits.length).toBe(4);
  for (const hit of hits) {
    const words = lexical.find((each) => each.chunkId === hit.chunkId);
    const vector = dense.find((each) => each.chunkId === hit.chunkId);
    expect(hit.lexicalRank).toBe(words?.lexicalRank ?? null);
    expect(hit.denseRank).toBe(vector?.denseRank ?? null);
    const part = (weight: number, rank: number | null) => (rank === null ? 0 : (weight * 8) / (7 + rank));
    expect(hit.score).toBeCloseTo((part(3, hit.lexicalRank) + part(1, hit.denseRank)) / 4, 6);
  }
  expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).sort((a, b) => b - a));
  const order = async (lexicalWeight: number, denseWeight: number) =>
    textsOf(
      await search(one, [collection], 'common rare word', {
        ranking: { lexicalWeight, denseWeight, rankConstant: 10 },
      }),
    );
  expect(await order(1, 0)).toEqual(textsOf(lexical));
  expect(await order(0, 1)).toEqual(textsOf(dense));
});

test('the collection’s own weights are used, and the caller’s before them', async () => {
  const collection = await one.addCollection();
  await one.addDocument(collection, ['rare', 'common common common word', 'common word again']);
  const lexicalOnly = { lexicalWeight: 1, denseWeight: 0, rankConstant: 10 };
  const own = await one.run((tx) => updateCollection(tx, collection.id, { ranking: lexicalOnly }));
  if (own === undefined) throw new Error('The collection is gone.');
  const lexical = textsOf(await search(one, [own], 'common rare', { mode: 'lexical' }));
  expect(textsOf(await search(one, [own], 'common rare'))).toEqual(lexical);
  const denseOnly = { lexicalWeight: 0, denseWeight: 1, rankConstant: 10 };
  const dense = textsOf(await search(one, [own], 'common rare', { mode: 'vector' }));
  expect(textsOf(await search(one, [own], 'common rare', { ranking: denseOnly }))).toEqual(dense);
});

test('the threshold holds for passages that only their words brought up', async () => {
  const collection = await one.addCollection({ embedding: { provider: 'test', model: 'wide', dimensions: 512 } });
  const filler = Array.from({ length: 40 }, (_each, index) => `filler${String(index)}`).join(' ');
  // Nearer in most words, but not in the rare one: more of them than take part in the fusion.
  const near = Array.from({ length: 60 }, (_each, index) => `alpha beta gamma ${String(index)}`);
  await one.addDocument(collection, [`needle ${filler}`, ...near]);
  const far = (await search(one, [collection], 'needle alpha beta gamma', { topK: 20 })).find((hit) =>
    hit.text.includes('filler'),
  );
  expect(far).toMatchObject({ lexicalRank: 1, denseRank: null });
  expect(far?.similarity).toBeGreaterThan(0.01);
  const similarity = far?.similarity ?? 0;
  const find = async (threshold: number) =>
    textsOf(await search(one, [collection], 'needle alpha beta gamma', { topK: 20, threshold })).filter((text) =>
      text.includes('filler'),
    );
  expect(await find(similarity - 0.01)).toHaveLength(1);
  expect(await find(similarity + 0.01)).toEqual([]);
  const byWords = await search(one, [collection], 'needle alpha beta gamma', { mode: 'lexical', threshold: 0.99 });
  expect(byWords[0]?.text).toContain('filler');
});

test('a search stops at the number that was asked for', async () => {
  const collection = await one.addCollection();
  await one.addDocument(
    collection,
    Array.from({ length: 120 }, (_each, index) => `apple number ${String(index)}`),
  );
  for (const topK of [1, 7, 60, 100]) expect(await search(one, [collection], 'apple', { topK })).toHaveLength(topK);
});

test('several collections, languages and models in one search', async () => {
  const english = await one.addCollection({ language: 'english' });
  const german = await one.addCollection({
    language: 'german',
    embedding: { provider: 'test', model: 'other', dimensions: 32 },
  });
  const third = await one.addCollection({ language: 'english' });
  await one.addDocument(english, ['The mitochondria of cells', 'Weather reports']);
  await one.addDocument(german, ['Die Mitochondrien der Zellen', 'Wetterberichte']);
  await one.addDocument(third, ['Mitochondria again, in cells', 'Trains']);
  const all = [english, german, third];
  expect(groupByEmbedding(all).map((group) => group.collections.map(({ id }) => id))).toEqual([
    [english.id, third.id],
    [german.id],
  ]);
  const hits = await search(one, all, 'mitochondrien cells Zellen', { topK: 3 });
  expect(hits.map((hit) => hit.collectionId).sort()).toEqual(all.map(({ id }) => id).sort());
  // Words of two collections are weighed as if they were one: the same passage has the same score in both.
  await one.addDocument(third, ['The mitochondria of cells']);
  const same = (await search(one, [english, third], 'mitochondria', { mode: 'lexical' })).filter(
    (hit) => hit.text === 'The mitochondria of cells',
  );
  expect(same).toHaveLength(2);
  expect(same[0]?.lexicalScore).toBe(same[1]?.lexicalScore);
  // Without a vector for a model, its collections are searched by words.
  const only = await search(one, all, 'Zellen', { vectors: [] });
  expect(textsOf(only)).toEqual(['Die Mitochondrien der Zellen']);
  expect(only[0]).toMatchObject({ similarity: null, denseRank: null, lexicalRank: 1 });
});

test('a hit says where it is', async () => {
  const collection = await one.addCollection();
  const documentId = await one.addDocument(collection, ['first', { text: 'second one', headings: ['A', 'B'] }]);
  const [hit] = await search(one, [collection], 'second one', { topK: 1 });
  expect(hit).toMatchObject({
    collectionId: collection.id,
    documentId,
    ordinal: 1,
    text: 'second one',
    headingPath: ['A', 'B'],
    pageFrom: 2,
    pageTo: 2,
    start: 1000,
    end: 1010,
    title: null,
    sourceUrl: null,
    score: 1,
  });
  expect(hit?.filename).toMatch(/\.txt$/);
});

test('another organisation’s collections give nothing, whoever names them', async () => {
  const other = await knowledge.addOrganization();
  const foreign = await other.addCollection();
  await other.addDocument(foreign, ['the secret of the other']);
  expect(await search(other, [foreign], 'secret')).toHaveLength(1);
  const own = await one.addCollection();
  await one.addDocument(own, ['our own secret']);
  for (const mode of ['hybrid', 'lexical', 'vector'] as const) {
    expect(await search(one, [foreign], 'secret', { mode })).toEqual([]);
    const mixed = await search(one, [own, foreign], 'secret', { mode });
    expect(mixed.map((hit) => hit.collectionId)).toEqual([own.id]);
  }
  expect(await one.run((tx) => findReadableCollections(tx, [foreign.id], other.teacherId))).toEqual([]);
});

test('what is not shared is not found, and what is no longer shared at once no more', async () => {
  const collection = await one.addCollection();
  await one.addDocument(collection, ['alpha']);
  const find = async () => textsOf(await search(one, [collection], 'alpha', { readerId: one.colleagueId }));
  expect(await find()).toEqual([]);
  await one.run((tx) => shareCollection(tx, collection.id, [one.colleagueId], one.teacherId));
  expect(await find()).toEqual(['alpha']);
  await one.run((tx) => unshareCollection(tx, collection.id, [one.colleagueId]));
  expect(await find()).toEqual([]);
  await one.run((tx) => updateCollection(tx, collection.id, { visibility: 'organization' }));
  expect(await find()).toEqual(['alpha']);
});

test('a query that was embedded before the collection was embedded anew finds nothing, and breaks nothing', async () => {
  const collection = await one.addCollection();
  const documentId = await one.addDocument(collection, ['alpha', 'beta']);
  const jobId = randomUUID();
  const embedding = { provider: 'test', model: 'larger', dimensions: 96 };
  const outcome = await one.run(async (tx) => {
    await putDrafts(tx, { jobId, documentId }, ['alpha', 'beta'].map(toChunk));
    await embedDrafts(tx, { jobId }, 96);
    return await publishCollectionDrafts(tx, {
      jobId,
      collectionId: collection.id,
      indexing: { ...collection, embedding },
    });
  });
  expect(outcome).toBe('published');
  expect(await search(one, [collection], 'alpha')).toEqual([]);
  const current = await one.run((tx) => getCollection(tx, collection.id));
  expect(current).toMatchObject({ embedding, indexVersion: 2, chunks: 2 });
  if (current === undefined) throw new Error('The collection is gone.');
  expect(textsOf(await search(one, [current], 'alpha', { topK: 1 }))).toEqual(['alpha']);
});

test('no collections, no hits; a vector of the wrong length is refused', async () => {
  expect(await search(one, [], 'anything')).toEqual([]);
  const collection = await one.addCollection();
  await expect(
    search(one, [collection], 'x', { vectors: [{ embedding: collection.embedding, vector: [1, 2] }] }),
  ).rejects.toThrow('has 2 dimensions; hashed has 64');
});
