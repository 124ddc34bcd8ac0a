import { createHash } from 'node:crypto';
import { AppError, DocumentStatus, isDocumentSettled } from '@lamb/contract';
import { sql, type Generated, type GeneratedAlways } from 'kysely';
import { findConstraint } from './find-constraint.ts';
import { chooseRowCount, cutPage, decodeCursor, readTime, readUuid, type Page, type PageRequest } from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import { dropDocumentChunks } from './remove-chunks.ts';
import { reviewVectorIndex } from './vector-indexes.ts';
import type { TenantTx } from './with-tenant.ts';

export type StoredDocumentStatus = DocumentStatus;

export interface DocumentTable {
  id: Generated<string>;
  number: GeneratedAlways<number>;
  organization_id: Generated<string>;
  collection_id: number;
  filename: string;
  title: string | null;
  media_type: string;
  size: number;
  sha256: Buffer;
  source_url: string | null;
  status: Generated<StoredDocumentStatus>;
  progress_done: Generated<number>;
  progress_total: Generated<number>;
  progress_text: string | null;
  problem: string | null;
  problem_code: string | null;
  pages: number | null;
  chunk_count: Generated<number>;
  job_id: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface DocumentContentTable {
  document_id: string;
  organization_id: Generated<string>;
  content: Buffer;
}

export interface StoredDocument {
  id: string;
  /** For the older knowledge-base interface. */
  number: number;
  collectionId: number;
  filename: string;
  title: string | null;
  mediaType: string;
  size: number;
  /** In hexadecimal. */
  sha256: string;
  sourceUrl: string | null;
  status: StoredDocumentStatus;
  progress: { done: number; total: number; text: string } | null;
  /** For people, in English. */
  problem: string | null;
  problemCode: string | null;
  pages: number | null;
  chunks: number;
  jobId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface NewDocument {
  collectionId: number;
  filename: string;
  mediaType: string;
  content: Uint8Array;
  title?: string | undefined;
  sourceUrl?: string | undefined;
  jobId?: string | undefined;
}

/** Stores a document, or finds the one that the collection already has with the same content. `not_found` without the collection. */
export async function createDocument(
  tx: TenantTx,
  input: NewDocument,
): Promise<{ document: StoredDocument; duplicate: boolean }> {
  const content = Buffer.from(input.content.buffer, input.content.byteOffset, input.content.byteLength);
  const sha256 = createHash('sha256').update(content).digest();
  const made = await tx
    .insertInto('lamb.documents')
    .values({
      collection_id: input.collectionId,
      filename: input.filename,
      media_type: input.mediaType,
      size: content.length,
      sha256,
      title: input.title ?? null,
      source_url: input.sourceUrl ?? null,
      job_id: input.jobId ?? null,
    })
    .onConflict((conflict) => conflict.columns(['collection_id', 'sha256']).doNothing())
    .returning('id')
    .executeTakeFirst()
    .catch(explainMissing);
  if (made !== undefined) {
    await tx.insertInto('lamb.document_contents').values({ document_id: made.id, content }).execute();
  }
  const row = await selectDocuments(tx)
    .where('d.collection_id', '=', input.collectionId)
    .where('d.sha256', '=', sha256)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found', { message: 'There is no such collection.' });
  return { document: toDocument(row), duplicate: made === undefined };
}

export async function getDocument(tx: TenantTx, id: string): Promise<StoredDocument | undefined> {
  const [row] = await executePrepared(tx, selectDocuments(tx).where('d.id', '=', id));
  return row === undefined ? undefined : toDocument(row);
}

/** A document by the number that the older knowledge-base interface knows it by. */
export async function getDocumentByNumber(tx: TenantTx, number: number): Promise<StoredDocument | undefined> {
  const [row] = await executePrepared(tx, selectDocuments(tx).where('d.number', '=', number));
  return row === undefined ? undefined : toDocument(row);
}

const SLICE_BYTES = 1_000_000;

/** In slices: bytes come as text of twice their size, which is not to be in memory as a whole. */
export async function readDocumentContent(tx: TenantTx, id: string): Promise<Buffer | undefined> {
  const contents = tx.selectFrom('lamb.document_contents').where('document_id', '=', id);
  const found = await contents.select(sql<number>`octet_length(content)`.as('size')).executeTakeFirst();
  if (!found) return undefined;
  const content = Buffer.alloc(found.size);
  for (let start = 0; start < found.size; start += SLICE_BYTES) {
    const slice = sql<Buffer>`substring(content from ${start + 1}::integer for ${SLICE_BYTES}::integer)`;
    const row = await contents.select(slice.as('slice')).executeTakeFirstOrThrow();
    row.slice.copy(content, start);
  }
  return content;
}

export interface DocumentListRequest extends PageRequest {
  collectionId: number;
}

/** Documents of a collection, newest first. */
export async function listDocuments(tx: TenantTx, request: DocumentListRequest): Promise<Page<StoredDocument>> {
  const count = chooseRowCount(request.limit);
  const after = decodeCursor('created', request.cursor);
  let query = selectDocuments(tx)
    .where('d.collection_id', '=', request.collectionId)
    .orderBy('d.created_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(sql.lit(count));
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(d.created_at, d.id) < (${readTime(after)}::timestamptz, ${readUuid(after.id)}::uuid)`,
    );
  }
  const rows = await executePrepared(tx, query);
  return cutPage(
    rows,
    request.limit,
    'created',
    (row) => ({ value: row.created_at.toISOString(), id: row.id }),
    toDocument,
  );
}

/** Those of these documents that there are. */
export async function listDocumentsById(tx: TenantTx, ids: readonly string[]): Promise<StoredDocument[]> {
  if (ids.length === 0) return [];
  const rows = await selectDocuments(tx)
    .where(sql<boolean>`d.id = any(${[...ids]}::uuid[])`)
    .execute();
  return rows.map(toDocument);
}

const MOST_UNSETTLED = 500;
const unsettled = DocumentStatus.options.filter((status) => !isDocumentSettled(status));

/** The documents of a collection that are being read in, wait for it or were changed since, the oldest first; of very many, the first. */
export async function listUnsettledDocuments(
  tx: TenantTx,
  collectionId: number,
  since: Date,
): Promise<StoredDocument[]> {
  const rows = await selectDocuments(tx)
    .where('d.collection_id', '=', collectionId)
    .where((eb) => eb.or([eb('d.status', 'in', unsettled), eb('d.updated_at', '>', since)]))
    .orderBy('d.created_at')
    .limit(MOST_UNSETTLED)
    .execute();
  return rows.map(toDocument);
}

/** Why something could not be done: as a code, and in English for people. */
export interface StoredProblem {
  code: string;
  message: string;
}

export interface DocumentChange {
  status?: StoredDocumentStatus | undefined;
  /** Null: nothing is under way. */
  progress?: { done: number; total: number; text: string } | null | undefined;
  problem?: StoredProblem | null | undefined;
  title?: string | null | undefined;
  pages?: number | null | undefined;
  jobId?: string | null | undefined;
}

/** Changes what is given; false when nothing was. With `whileIn`, only a document that is in one of these states. */
export async function updateDocument(
  tx: TenantTx,
  id: string,
  change: DocumentChange,
  { whileIn }: { whileIn?: readonly StoredDocumentStatus[] | undefined } = {},
): Promise<boolean> {
  const { progress } = change;
  let query = tx
    .updateTable('lamb.documents')
    .set({
      ...(change.status !== undefined && { status: change.status }),
      ...(progress !== undefined && {
        progress_done: progress?.done ?? 0,
        progress_total: progress?.total ?? 0,
        progress_text: progress?.text ?? null,
      }),
      ...(change.problem !== undefined && {
        problem: change.problem?.message ?? null,
        problem_code: change.problem?.code ?? null,
      }),
      ...(change.title !== undefined && { title: change.title }),
      ...(change.pages !== undefined && { pages: change.pages }),
      ...(change.jobId !== undefined && { job_id: change.jobId }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id);
  if (whileIn !== undefined) query = query.where('status', 'in', whileIn);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Removes a document, its passages and vectors, and subtracts its words from the collection's frequencies. */
export async function deleteDocument(tx: TenantTx, id: string): Promise<boolean> {
  const document = await tx
    .selectFrom('lamb.documents')
    .select('collection_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (document === undefined) return false;
  await dropDocumentChunks(tx, document.collection_id, id);
  const { numDeletedRows } = await tx.deleteFrom('lamb.documents').where('id', '=', id).executeTakeFirstOrThrow();
  await reviewVectorIndex(tx, document.collection_id);
  return numDeletedRows > 0n;
}

function selectDocuments(tx: TenantTx) {
  return tx
    .selectFrom('lamb.documents as d')
    .select(['d.id', 'd.number', 'd.collection_id', 'd.filename', 'd.title', 'd.media_type', 'd.size', 'd.sha256'])
    .select([
      'd.source_url',
      'd.status',
      'd.progress_done',
      'd.progress_total',
      'd.progress_text',
      'd.problem',
      'd.problem_code',
    ])
    .select(['d.pages', 'd.chunk_count', 'd.job_id', 'd.created_at', 'd.updated_at']);
}

type DocumentRow = Awaited<ReturnType<ReturnType<typeof selectDocuments>['executeTakeFirstOrThrow']>>;

function toDocument(row: DocumentRow): StoredDocument {
  return {
    id: row.id,
    number: row.number,
    collectionId: row.collection_id,
    filename: row.filename,
    title: row.title,
    mediaType: row.media_type,
    size: row.size,
    sha256: row.sha256.toString('hex'),
    sourceUrl: row.source_url,
    status: row.status,
    progress:
      row.progress_text === null
        ? null
        : { done: row.progress_done, total: row.progress_total, text: row.progress_text },
    problem: row.problem,
    problemCode: row.problem_code,
    pages: row.pages,
    chunks: row.chunk_count,
    jobId: row.job_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function explainMissing(error: unknown): never {
  if (findConstraint(error)?.endsWith('_fkey') !== true) throw error;
  throw new AppError('not_found', { message: 'There is no such collection.', cause: error });
}
