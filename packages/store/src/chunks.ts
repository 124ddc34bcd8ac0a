import { sql, type Generated, type GeneratedAlways } from 'kysely';
import { chooseRowCount, cutPage, decodeCursor, readNumber, type Page, type PageRequest } from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface ChunkTable {
  id: GeneratedAlways<number>;
  organization_id: Generated<string>;
  collection_id: number;
  document_id: string;
  ordinal: number;
  content: string;
  heading_path: string[];
  page_from: number | null;
  page_to: number | null;
  tokens: number;
  start_offset: number;
  end_offset: number;
}

export interface ChunkVectorTable {
  chunk_id: number;
  collection_id: number;
  organization_id: Generated<string>;
  embedding: string;
}

export interface ChunkLexemeTable {
  chunk_id: number;
  collection_id: number;
  organization_id: Generated<string>;
  terms: string;
}

export interface LexemeStatsTable {
  collection_id: number;
  organization_id: Generated<string>;
  chunks: number;
}

export interface LexemeFrequencyTable extends LexemeStatsTable {
  lexeme: number;
}

/** A passage of a document, without the numbers that the database gives it. */
export interface NewChunk {
  content: string;
  headingPath: readonly string[];
  pageFrom: number | null;
  pageTo: number | null;
  tokens: number;
  /** Where it is in the document's text. */
  start: number;
  end: number;
}

export interface StoredChunk extends NewChunk {
  id: number;
  collectionId: number;
  documentId: string;
  ordinal: number;
  headingPath: string[];
}

export interface ChunkListRequest extends PageRequest {
  documentId: string;
}

/** A document's passages, in its order. */
export async function listChunks(tx: TenantTx, request: ChunkListRequest): Promise<Page<StoredChunk>> {
  const count = chooseRowCount(request.limit);
  const after = decodeCursor('ordinal', request.cursor);
  let query = selectChunks(tx)
    .where('k.document_id', '=', request.documentId)
    .orderBy('k.ordinal')
    .limit(sql.lit(count));
  if (after !== undefined) query = query.where('k.ordinal', '>', readNumber(after.value));
  const rows = await executePrepared(tx, query);
  return cutPage(
    rows,
    request.limit,
    'ordinal',
    (row) => ({ value: String(row.ordinal), id: String(row.id) }),
    toChunk,
  );
}

/** The passage in which a place of a document's text lies; of two that overlap, the later. For its page and heading path. */
export async function findChunkAt(tx: TenantTx, documentId: string, place: number): Promise<StoredChunk | undefined> {
  const [row] = await executePrepared(
    tx,
    selectChunks(tx)
      .where('k.document_id', '=', documentId)
      .where('k.start_offset', '<=', place)
      .orderBy('k.ordinal', 'desc')
      .limit(sql.lit(1)),
  );
  return row === undefined ? undefined : toChunk(row);
}

function selectChunks(tx: TenantTx) {
  return tx
    .selectFrom('lamb.chunks as k')
    .select(['k.id', 'k.collection_id', 'k.document_id', 'k.ordinal', 'k.content', 'k.heading_path', 'k.page_from'])
    .select(['k.page_to', 'k.tokens', 'k.start_offset', 'k.end_offset']);
}

type ChunkRow = Awaited<ReturnType<ReturnType<typeof selectChunks>['executeTakeFirstOrThrow']>>;

function toChunk(row: ChunkRow): StoredChunk {
  return {
    id: row.id,
    collectionId: row.collection_id,
    documentId: row.document_id,
    ordinal: row.ordinal,
    content: row.content,
    headingPath: row.heading_path,
    pageFrom: row.page_from,
    pageTo: row.page_to,
    tokens: row.tokens,
    start: row.start_offset,
    end: row.end_offset,
  };
}
