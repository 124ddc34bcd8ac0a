import { sql, type Generated } from 'kysely';
import type { NewChunk } from './chunks.ts';
import { formatVector } from './vector-text.ts';
import type { TenantTx } from './with-tenant.ts';

export interface DocumentDraftTable {
  job_id: string;
  document_id: string;
  organization_id: Generated<string>;
  chunk_count: number;
  created_at: Generated<Date>;
}

export interface ChunkDraftTable {
  job_id: string;
  document_id: string;
  ordinal: number;
  organization_id: Generated<string>;
  content: string;
  heading_path: string[];
  page_from: number | null;
  page_to: number | null;
  tokens: number;
  start_offset: number;
  end_offset: number;
  embedding: string | null;
}

/** A job's draft of one document. */
export interface DraftKey {
  jobId: string;
  documentId: string;
}

/** A passage that has no vector yet. */
export interface WaitingDraft {
  documentId: string;
  ordinal: number;
  content: string;
  headingPath: string[];
  tokens: number;
}

export interface DraftProgress {
  chunks: number;
  embedded: number;
}

/** Keeps how a job has cut a document. False, and nothing is changed, when it has done so before. */
export async function putDrafts(
  tx: TenantTx,
  { jobId, documentId }: DraftKey,
  chunks: readonly NewChunk[],
): Promise<boolean> {
  const made = await tx
    .insertInto('lamb.document_drafts')
    .values({ job_id: jobId, document_id: documentId, chunk_count: chunks.length })
    .onConflict((conflict) => conflict.columns(['job_id', 'document_id']).doNothing())
    .returning('job_id')
    .executeTakeFirst();
  if (made === undefined) return false;
  // In one parameter: a document has more passages than a statement may have parameters.
  await sql`
    insert into lamb.chunk_drafts
      (job_id, document_id, ordinal, content, heading_path, page_from, page_to, tokens, start_offset, end_offset)
    select ${jobId}, ${documentId}, draft.ordinal, draft.content, draft.heading_path, draft.page_from, draft.page_to,
      draft.tokens, draft.start_offset, draft.end_offset
    from jsonb_to_recordset(${JSON.stringify(chunks.map(toDraftRecord))}::jsonb) as draft (
      ordinal integer, content text, heading_path text[], page_from integer, page_to integer, tokens integer,
      start_offset integer, end_offset integer
    )`.execute(tx);
  return true;
}

/** Takes over the vectors of passages that the document already has word by word; for jobs that keep the model. Returns how many. */
export async function reuseEmbeddings(tx: TenantTx, { jobId, documentId }: DraftKey): Promise<number> {
  const { numAffectedRows } = await sql`
    update lamb.chunk_drafts draft set embedding = known.embedding
    from (
      select distinct on (k.content, k.heading_path) k.content, k.heading_path, v.embedding
      from lamb.chunks k join lamb.chunk_vectors v on v.chunk_id = k.id
      where k.document_id = ${documentId}
      order by k.content, k.heading_path, k.id
    ) known
    where draft.job_id = ${jobId} and draft.document_id = ${documentId} and draft.embedding is null
      and draft.content = known.content and draft.heading_path = known.heading_path`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** The next passages without a vector: of one document, or of all that the job has cut. */
export async function listWaitingDrafts(
  tx: TenantTx,
  { jobId, documentId }: { jobId: string; documentId?: string | undefined },
  limit: number,
): Promise<WaitingDraft[]> {
  let query = tx
    .selectFrom('lamb.chunk_drafts')
    .select(['document_id as documentId', 'ordinal', 'content', 'heading_path as headingPath', 'tokens'])
    .where('job_id', '=', jobId)
    .where('embedding', 'is', null)
    .orderBy('document_id')
    .orderBy('ordinal')
    .limit(limit);
  if (documentId !== undefined) query = query.where('document_id', '=', documentId);
  return await query.execute();
}

/** Fills in the vectors of a batch. They are kept with the transaction, so that no passage is sent to the model twice. */
export async function putDraftEmbeddings(
  tx: TenantTx,
  jobId: string,
  batch: readonly { documentId: string; ordinal: number; embedding: ArrayLike<number> }[],
): Promise<void> {
  await sql`
    update lamb.chunk_drafts draft set embedding = filled.embedding::halfvec
    from unnest(
      ${batch.map((each) => each.documentId)}::uuid[], ${batch.map((each) => each.ordinal)}::integer[],
      ${batch.map((each) => formatVector(each.embedding))}::text[]
    ) as filled (document_id, ordinal, embedding)
    where draft.job_id = ${jobId} and draft.document_id = filled.document_id and draft.ordinal = filled.ordinal`.execute(
    tx,
  );
}

/** How far a job's drafts are; undefined before the document was cut. Without a document: of the whole job. */
export async function countDrafts(
  tx: TenantTx,
  { jobId, documentId }: { jobId: string; documentId?: string | undefined },
): Promise<DraftProgress | undefined> {
  const only = documentId === undefined ? sql`true` : sql`document_id = ${documentId}::uuid`;
  const { rows } = await sql<{ documents: number; chunks: number; waiting: number }>`
    select count(*) as documents, coalesce(sum(chunk_count), 0)::bigint as chunks, (
      select count(*) from lamb.chunk_drafts where job_id = ${jobId} and embedding is null and ${only}
    ) as waiting
    from lamb.document_drafts where job_id = ${jobId} and ${only}`.execute(tx);
  const [row] = rows;
  if (row === undefined || row.documents === 0) return undefined;
  return { chunks: row.chunks, embedded: row.chunks - row.waiting };
}

/** The documents of a collection that a job which reads all of it anew has not cut yet: those that are searched. */
export async function listUncutDocuments(
  tx: TenantTx,
  { jobId, collectionId }: { jobId: string; collectionId: number },
): Promise<{ id: string; size: number }[]> {
  return await tx
    .selectFrom('lamb.documents as d')
    .leftJoin('lamb.document_drafts as draft', (join) =>
      join.onRef('draft.document_id', '=', 'd.id').on('draft.job_id', '=', jobId),
    )
    .select(['d.id', 'd.size'])
    .where('d.collection_id', '=', collectionId)
    .where((eb) => eb.or([eb('d.status', '=', 'ready'), eb('d.chunk_count', '>', 0)]))
    .where('draft.job_id', 'is', null)
    .orderBy('d.id')
    .execute();
}

/** Forgets what a job has cut: of one document, or all. */
export async function discardDrafts(
  tx: TenantTx,
  { jobId, documentId }: { jobId: string; documentId?: string | undefined },
): Promise<void> {
  let query = tx.deleteFrom('lamb.document_drafts').where('job_id', '=', jobId);
  if (documentId !== undefined) query = query.where('document_id', '=', documentId);
  await query.execute();
}

function toDraftRecord(chunk: NewChunk, ordinal: number) {
  return {
    ordinal,
    content: chunk.content,
    heading_path: chunk.headingPath,
    page_from: chunk.pageFrom,
    page_to: chunk.pageTo,
    tokens: chunk.tokens,
    start_offset: chunk.start,
    end_offset: chunk.end,
  };
}
