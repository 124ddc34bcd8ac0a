import { AppError } from '@lamb/contract';
import { sql, type Generated, type GeneratedAlways } from 'kysely';
import type { StoredProblem } from './documents.ts';
import { findConstraint } from './find-constraint.ts';
import { endCollectionJobs } from './jobs.ts';
import { executePrepared } from './prepared-statements.ts';
import { dropCollectionChunks } from './remove-chunks.ts';
import { releaseVectorIndex } from './vector-indexes.ts';
import type { TenantTx } from './with-tenant.ts';

export interface CollectionTable {
  id: GeneratedAlways<number>;
  organization_id: Generated<string>;
  owner_id: string;
  name: string;
  description: Generated<string>;
  search_text: GeneratedAlways<string>;
  visibility: Generated<CollectionVisibility>;
  language: Generated<string>;
  embedding_provider: string;
  embedding_model: string;
  embedding_dimensions: number;
  chunk_tokens: Generated<number>;
  chunk_overlap: Generated<number>;
  lexical_weight: Generated<number>;
  dense_weight: Generated<number>;
  rank_constant: Generated<number>;
  index_version: Generated<number>;
  reindex_job_id: string | null;
  reindex_problem: string | null;
  reindex_problem_code: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export type CollectionVisibility = 'private' | 'organization';

export interface CollectionEmbedding {
  provider: string;
  model: string;
  dimensions: number;
}

export interface CollectionChunking {
  maxTokens: number;
  overlapTokens: number;
}

export interface CollectionRanking {
  lexicalWeight: number;
  denseWeight: number;
  rankConstant: number;
}

/** What passages are made by; it changes for all of a collection's documents at once. */
export interface CollectionIndexing {
  /** A text search configuration of PostgreSQL's own. */
  language: string;
  embedding: CollectionEmbedding;
  chunking: CollectionChunking;
}

export interface Collection extends CollectionIndexing {
  id: number;
  ownerId: string;
  ownerEmail: string;
  name: string;
  description: string;
  visibility: CollectionVisibility;
  ranking: CollectionRanking;
  /** Counts the changes of `CollectionIndexing`: what was prepared for an earlier one is out of date. */
  indexVersion: number;
  /** The job that reads all documents anew, while there is one. */
  reindexJobId: string | null;
  /** Why the last one that tried could not. */
  reindexProblem: string | null;
  reindexProblemCode: string | null;
  /** Has a vector index of its own. */
  hasVectorIndex: boolean;
  documents: number;
  chunks: number;
  bytes: number;
  createdAt: Date;
  updatedAt: Date;
}

/** What of a collection a search works with. */
export type SearchableCollection = Pick<
  Collection,
  'id' | 'language' | 'embedding' | 'ranking' | 'indexVersion' | 'hasVectorIndex'
>;

export interface NewCollection {
  ownerId: string;
  name: string;
  embedding: CollectionEmbedding;
  description?: string;
  visibility?: CollectionVisibility;
  language?: string;
  chunking?: CollectionChunking;
  ranking?: CollectionRanking;
}

/** Makes a collection. `name_taken` when its owner has one of the same name. */
export async function createCollection(tx: TenantTx, input: NewCollection): Promise<Collection> {
  const { id } = await tx
    .insertInto('lamb.collections')
    .values({
      owner_id: input.ownerId,
      name: input.name,
      embedding_provider: input.embedding.provider,
      embedding_model: input.embedding.model,
      embedding_dimensions: input.embedding.dimensions,
      ...(input.description !== undefined && { description: input.description }),
      ...(input.visibility !== undefined && { visibility: input.visibility }),
      ...(input.language !== undefined && { language: input.language }),
      ...(input.chunking !== undefined && toChunkingColumns(input.chunking)),
      ...(input.ranking !== undefined && toRankingColumns(input.ranking)),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseTakenName(error, input.name));
  return toCollection(await selectCollections(tx).where('c.id', '=', id).executeTakeFirstOrThrow());
}

export async function getCollection(tx: TenantTx, id: number): Promise<Collection | undefined> {
  const [row] = await executePrepared(tx, selectCollections(tx).where('c.id', '=', id));
  return row === undefined ? undefined : toCollection(row);
}

export interface CollectionChange {
  name?: string | undefined;
  description?: string | undefined;
  visibility?: CollectionVisibility | undefined;
  ranking?: CollectionRanking | undefined;
}

/** Changes what is given. Undefined when there is no such collection. */
export async function updateCollection(
  tx: TenantTx,
  id: number,
  change: CollectionChange,
): Promise<Collection | undefined> {
  await tx
    .updateTable('lamb.collections')
    .set({
      ...(change.name !== undefined && { name: change.name }),
      ...(change.description !== undefined && { description: change.description }),
      ...(change.visibility !== undefined && { visibility: change.visibility }),
      ...(change.ranking !== undefined && toRankingColumns(change.ranking)),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
    .catch((error: unknown) => refuseTakenName(error, change.name ?? ''));
  return await getCollection(tx, id);
}

/**
 * Removes a collection with its documents, passages, vectors and frequencies; what is reading them ends. Everybody locks
 * in this order: job, collection, its passages, documents, their drafts.
 */
export async function deleteCollection(tx: TenantTx, id: number): Promise<boolean> {
  await endCollectionJobs(tx, id);
  await tx.selectFrom('lamb.collections').select('id').where('id', '=', id).forUpdate().execute();
  await dropCollectionChunks(tx, id);
  await tx.deleteFrom('lamb.documents').where('collection_id', '=', id).execute();
  const { numDeletedRows } = await tx.deleteFrom('lamb.collections').where('id', '=', id).executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  await releaseVectorIndex(tx, id);
  return true;
}

/** Notes which job reads the collection anew. False when another one does, or there is no such collection. */
export async function beginReindex(tx: TenantTx, id: number, jobId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lamb.collections')
    .set({ reindex_job_id: jobId, reindex_problem: null, reindex_problem_code: null })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('reindex_job_id', 'is', null), eb('reindex_job_id', '=', jobId)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The job is over; with a problem, everything is as it was before. */
export async function endReindex(
  tx: TenantTx,
  id: number,
  jobId: string,
  problem: StoredProblem | null = null,
): Promise<void> {
  await tx
    .updateTable('lamb.collections')
    .set({
      reindex_job_id: null,
      reindex_problem: problem?.message ?? null,
      reindex_problem_code: problem?.code ?? null,
    })
    .where('id', '=', id)
    .where('reindex_job_id', '=', jobId)
    .execute();
}

export function selectSearchableCollections(tx: TenantTx) {
  return tx
    .selectFrom('lamb.collections as c')
    .leftJoin('ops.vector_indexes as v', (join) =>
      join.onRef('v.collection_id', '=', 'c.id').onRef('v.built_dimensions', '=', 'c.embedding_dimensions'),
    )
    .select(['c.id', 'c.language', 'c.embedding_provider', 'c.embedding_model', 'c.embedding_dimensions'])
    .select(['c.lexical_weight', 'c.dense_weight', 'c.rank_constant', 'c.index_version', 'v.built_dimensions']);
}

type SearchableRow = Awaited<ReturnType<ReturnType<typeof selectSearchableCollections>['executeTakeFirstOrThrow']>>;

export function toSearchableCollection(row: SearchableRow): SearchableCollection {
  return {
    id: row.id,
    language: row.language,
    embedding: {
      provider: row.embedding_provider,
      model: row.embedding_model,
      dimensions: row.embedding_dimensions,
    },
    ranking: { lexicalWeight: row.lexical_weight, denseWeight: row.dense_weight, rankConstant: row.rank_constant },
    indexVersion: row.index_version,
    hasVectorIndex: row.built_dimensions !== null,
  };
}

export function selectCollections(tx: TenantTx) {
  return selectSearchableCollections(tx)
    .innerJoin('auth.user as u', 'u.id', 'c.owner_id')
    .innerJoinLateral(
      // From the index alone; a counter kept up by every job would be one more thing that can be wrong.
      (eb) =>
        eb
          .selectFrom('lamb.documents as d')
          .select([
            sql<number>`count(*)`.as('documents'),
            sql<number>`coalesce(sum(d.chunk_count), 0)::bigint`.as('chunks'),
            sql<number>`coalesce(sum(d.size), 0)::bigint`.as('bytes'),
          ])
          .whereRef('d.collection_id', '=', 'c.id')
          .as('sums'),
      (join) => join.onTrue(),
    )
    .select(['c.owner_id', 'u.email as owner_email', 'c.name', 'c.description', 'c.visibility'])
    .select(['c.chunk_tokens', 'c.chunk_overlap'])
    .select(['c.reindex_job_id', 'c.reindex_problem', 'c.reindex_problem_code', 'c.created_at', 'c.updated_at'])
    .select(['sums.documents', 'sums.chunks', 'sums.bytes']);
}

export type CollectionRow = Awaited<ReturnType<ReturnType<typeof selectCollections>['executeTakeFirstOrThrow']>>;

export function toCollection(row: CollectionRow): Collection {
  return {
    ...toSearchableCollection(row),
    ownerId: row.owner_id,
    ownerEmail: row.owner_email,
    name: row.name,
    description: row.description,
    visibility: row.visibility,
    chunking: { maxTokens: row.chunk_tokens, overlapTokens: row.chunk_overlap },
    reindexJobId: row.reindex_job_id,
    reindexProblem: row.reindex_problem,
    reindexProblemCode: row.reindex_problem_code,
    documents: row.documents,
    chunks: row.chunks,
    bytes: row.bytes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toChunkingColumns({ maxTokens, overlapTokens }: CollectionChunking) {
  return { chunk_tokens: maxTokens, chunk_overlap: overlapTokens };
}

function toRankingColumns({ lexicalWeight, denseWeight, rankConstant }: CollectionRanking) {
  return { lexical_weight: lexicalWeight, dense_weight: denseWeight, rank_constant: rankConstant };
}

function refuseTakenName(error: unknown, name: string): never {
  if (findConstraint(error) !== 'collections_owner_name_key') throw error;
  throw new AppError('name_taken', { details: { name }, cause: error });
}
