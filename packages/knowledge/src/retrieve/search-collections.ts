import {
  executePrepared,
  formatVector,
  type CollectionEmbedding,
  type CollectionRanking,
  type SearchableCollection,
  type TenantTx,
} from '@lamb/store';
import { sql } from 'kysely';
import { buildSearch, type DenseGroup, type SearchPlan } from './build-search.ts';
import { groupByEmbedding, isSameEmbedding } from './group-by-embedding.ts';
import type { SearchHit } from './search-hit.ts';

/** A query as one model sees it. */
export interface QueryVector {
  embedding: CollectionEmbedding;
  vector: ArrayLike<number>;
}

export interface CollectionSearch {
  /** With whose grants: of the collections, those are searched that this user may read. */
  readerId: string;
  collections: readonly SearchableCollection[];
  query: string;
  /** One for each group of `groupByEmbedding`. Collections without one are searched by words only. */
  vectors: readonly QueryVector[];
  mode: 'hybrid' | 'lexical' | 'vector';
  topK: number;
  /** Passages whose similarity to the query is lower are left out, wherever vectors were compared. */
  threshold: number;
  /** Instead of the collections' own. */
  ranking?: CollectionRanking | undefined;
}

/** How many neighbours a vector index keeps in sight while it searches. */
const INDEX_BREADTH = 200;

/** Searches collections by words (BM25) and by meaning (vectors), and fuses both ranks, in one statement. */
export async function searchCollections(tx: TenantTx, search: CollectionSearch): Promise<SearchHit[]> {
  const { collections, mode } = search;
  if (collections.length === 0) return [];
  const plan: SearchPlan = {
    readerId: search.readerId,
    collections: collections.map(({ id, indexVersion, ranking }) => ({
      id,
      indexVersion,
      ranking: applyMode(search.ranking ?? ranking, mode),
    })),
    query: search.query,
    lexical: mode === 'vector' ? [] : groupByLanguage(collections),
    dense: mode === 'lexical' ? [] : findDenseGroups(collections, search.vectors),
    threshold: search.threshold,
    topK: search.topK,
  };
  if (collections.some(({ hasVectorIndex }) => hasVectorIndex)) {
    await sql`select set_config('hnsw.ef_search', ${String(INDEX_BREADTH)}, true)`.execute(tx);
  }
  const statement = buildSearch(plan);
  // With a vector index the collection's id is a part of the text, since only then the planner sees that the index is
  // meant; as many statements as collections are not worth keeping.
  if (plan.dense.some(({ indexed }) => indexed.length > 0)) return (await statement.execute(tx)).rows;
  return await executePrepared(tx, { compile: () => statement.compile(tx) });
}

function applyMode(ranking: CollectionRanking, mode: CollectionSearch['mode']): CollectionRanking {
  if (mode === 'lexical') return { ...ranking, lexicalWeight: 1, denseWeight: 0 };
  if (mode === 'vector') return { ...ranking, lexicalWeight: 0, denseWeight: 1 };
  return ranking;
}

function groupByLanguage(collections: readonly SearchableCollection[]): SearchPlan['lexical'] {
  const groups = new Map<string, number[]>();
  for (const { id, language } of collections) {
    const ids = groups.get(language);
    if (ids === undefined) groups.set(language, [id]);
    else ids.push(id);
  }
  return Array.from(groups, ([language, ids]) => ({ language, ids }));
}

function findDenseGroups(collections: readonly SearchableCollection[], vectors: readonly QueryVector[]): DenseGroup[] {
  return groupByEmbedding(collections).flatMap(({ embedding, collections: members }) => {
    const found = vectors.find((each) => isSameEmbedding(each.embedding, embedding));
    if (found === undefined) return [];
    if (found.vector.length !== embedding.dimensions) {
      throw new RangeError(
        `The query's vector has ${String(found.vector.length)} dimensions; ${embedding.model} has ${String(embedding.dimensions)}.`,
      );
    }
    return {
      vector: formatVector(found.vector),
      dimensions: embedding.dimensions,
      exact: members.filter(({ hasVectorIndex }) => !hasVectorIndex).map(({ id }) => id),
      indexed: members.filter(({ hasVectorIndex }) => hasVectorIndex).map(({ id }) => id),
    };
  });
}
