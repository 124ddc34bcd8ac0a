import { AppError } from '@lamb/contract';
import { sql, type RawBuilder } from 'kysely';
import { listUncutDocuments, type DraftKey } from './chunk-drafts.ts';
import { toChunkingColumns, type CollectionIndexing } from './collections.ts';
import { updateDocument } from './documents.ts';
import { dropCollectionChunks, dropDocumentChunks, lockCollectionChunks } from './remove-chunks.ts';
import { reviewVectorIndex } from './vector-indexes.ts';
import type { TenantTx } from './with-tenant.ts';

/**
 * What became of an attempt to publish. `outdated`: the collection was meanwhile indexed in another way, so cut and
 * embed anew. `incomplete`: passages are not cut or have no vector yet. `gone`: the document or collection was deleted.
 */
export type PublishOutcome = 'published' | 'outdated' | 'incomplete' | 'gone';

/** Puts a job's draft of a document in the place of what was searched of it, all at once. */
export async function publishDocumentDrafts(
  tx: TenantTx,
  draft: DraftKey & { collectionId: number; indexVersion: number },
): Promise<PublishOutcome> {
  const { jobId, documentId, collectionId } = draft;
  const version = await lockIndexing(tx, collectionId, 'forKeyShare');
  if (version === undefined || !(await hasDocument(tx, documentId))) return 'gone';
  if (version !== draft.indexVersion) return 'outdated';
  if (!(await isComplete(tx, { jobId, documentId }))) return 'incomplete';
  await dropDocumentChunks(tx, collectionId, documentId);
  await insertChunks(tx, { jobId, collectionId, documentId });
  await updateDocument(tx, documentId, { status: 'ready', progress: null, problem: null });
  return 'published';
}

/**
 * Puts a job's drafts of all of a collection's documents in their place, together with the way they were made, all at
 * once. `incomplete` also when a document was added meanwhile: `listUncutDocuments` names it.
 */
export async function publishCollectionDrafts(
  tx: TenantTx,
  { jobId, collectionId, indexing }: { jobId: string; collectionId: number; indexing: CollectionIndexing },
): Promise<PublishOutcome> {
  if ((await lockIndexing(tx, collectionId, 'forNoKeyUpdate')) === undefined) return 'gone';
  if (!(await isComplete(tx, { jobId })) || (await listUncutDocuments(tx, { jobId, collectionId })).length > 0)
    return 'incomplete';
  await dropCollectionChunks(tx, collectionId);
  await tx
    .updateTable('lamb.collections')
    .set({
      language: indexing.language,
      embedding_provider: indexing.embedding.provider,
      embedding_model: indexing.embedding.model,
      embedding_dimensions: indexing.embedding.dimensions,
      ...toChunkingColumns(indexing.chunking),
      index_version: sql<number>`index_version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', collectionId)
    .execute();
  await insertChunks(tx, { jobId, collectionId });
  // What was drafted of documents that failed is of the former version, and nobody would come back to it.
  await sql`delete from lamb.document_drafts where document_id in (
    select id from lamb.documents where collection_id = ${collectionId}
  )`.execute(tx);
  return 'published';
}

/** From here on nobody deletes the collection or changes its passages; says which version of its index this is. */
async function lockIndexing(
  tx: TenantTx,
  collectionId: number,
  lock: 'forKeyShare' | 'forNoKeyUpdate',
): Promise<number | undefined> {
  await tx.selectFrom('lamb.collections').select('id').where('id', '=', collectionId)[lock]().execute();
  await lockCollectionChunks(tx, collectionId);
  const row = await tx
    .selectFrom('lamb.collections')
    .select('index_version')
    .where('id', '=', collectionId)
    .executeTakeFirst();
  return row?.index_version;
}

async function hasDocument(tx: TenantTx, id: string): Promise<boolean> {
  return (await tx.selectFrom('lamb.documents').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

async function isComplete(tx: TenantTx, { jobId, documentId }: { jobId: string; documentId?: string }) {
  const only = documentId === undefined ? sql`true` : sql`document_id = ${documentId}::uuid`;
  const { rows } = await sql<{ complete: boolean }>`
    select (${documentId === undefined ? sql`true` : sql`exists (select from lamb.document_drafts where job_id = ${jobId} and ${only})`})
      and not exists (select from lamb.chunk_drafts where job_id = ${jobId} and embedding is null and ${only}) as complete`.execute(
    tx,
  );
  return rows[0]?.complete === true;
}

async function insertChunks(
  tx: TenantTx,
  { jobId, collectionId, documentId }: { jobId: string; collectionId: number; documentId?: string },
): Promise<void> {
  const only = documentId === undefined ? sql`true` : sql`d.document_id = ${documentId}::uuid`;
  await refuseOtherDimensions(tx, collectionId, sql`d.job_id = ${jobId} and ${only}`);
  await sql`
    with
      collection as (select language, chunk_tokens from lamb.collections where id = ${collectionId}),
      draft as materialized (select * from lamb.chunk_drafts d where d.job_id = ${jobId} and ${only}),
      made as (
        insert into lamb.chunks (collection_id, document_id, ordinal, content, heading_path, page_from, page_to, tokens,
          start_offset, end_offset)
        select ${collectionId}, document_id, ordinal, content, heading_path, page_from, page_to, tokens,
          start_offset, end_offset
        from draft order by document_id, ordinal
        returning id, document_id, ordinal
      ),
      vectors as (
        insert into lamb.chunk_vectors (chunk_id, collection_id, embedding)
        select made.id, ${collectionId}, draft.embedding
        from made join draft using (document_id, ordinal) order by made.id
      ),
      lexemes as (
        insert into lamb.chunk_lexemes (chunk_id, collection_id, terms)
        -- A passage of 300 tokens has about 120 words that are not stop words.
        select made.id, ${collectionId}, lamb.weigh_terms(
          lamb.index_words(collection.language, draft.heading_path, draft.content), collection.chunk_tokens * 0.4)
        from made join draft using (document_id, ordinal), collection order by made.id
        returning terms
      ),
      stats as (
        insert into lamb.lexeme_stats as s (collection_id, chunks) select ${collectionId}, count(*) from made
        on conflict (collection_id) do update set chunks = s.chunks + excluded.chunks
      ),
      frequencies as (
        insert into lamb.lexeme_frequencies as f (collection_id, lexeme, chunks)
        select ${collectionId}, lexeme, count(*)
        from lexemes, lamb.list_lexemes(terms) as lexeme group by lexeme order by lexeme
        on conflict (collection_id, lexeme) do update set chunks = f.chunks + excluded.chunks
      )
    update lamb.documents document set chunk_count = d.chunk_count, updated_at = now()
    from lamb.document_drafts d where d.job_id = ${jobId} and ${only} and document.id = d.document_id`.execute(tx);
  let used = tx.deleteFrom('lamb.document_drafts').where('job_id', '=', jobId);
  if (documentId !== undefined) used = used.where('document_id', '=', documentId);
  await used.execute();
  await reviewVectorIndex(tx, collectionId);
}

/** The column takes vectors of any length, and one that differs would make every search fail. */
async function refuseOtherDimensions(tx: TenantTx, collectionId: number, isMeant: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ wanted: number; found: number }>`
    select c.embedding_dimensions as wanted, vector_dims(d.embedding) as found
    from lamb.chunk_drafts d, lamb.collections c
    where ${isMeant} and c.id = ${collectionId} and vector_dims(d.embedding) <> c.embedding_dimensions
    limit 1`.execute(tx);
  const [row] = rows;
  if (row === undefined) return;
  throw new AppError('invalid_request', {
    message: `The model gave vectors of ${String(row.found)} dimensions, and the collection has ${String(row.wanted)}. Embed the collection anew.`,
  });
}
