import { createHash } from 'node:crypto';
import { AppError } from '@lamb/contract';
import { sql, type Generated } from 'kysely';
import { findConstraint } from './find-constraint.ts';
import { cutPage, decodeCursor, chooseRowCount, readTime, readUuid, type Page, type PageRequest } from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface FileTable {
  id: Generated<string>;
  organization_id: Generated<string>;
  owner_id: string;
  path: string;
  media_type: string;
  size: number;
  sha256: Buffer;
  created_at: Generated<Date>;
}

export interface FileContentTable {
  file_id: string;
  organization_id: Generated<string>;
  content: Buffer;
}

export interface StoredFile {
  id: string;
  ownerId: string;
  ownerEmail: string;
  path: string;
  mediaType: string;
  size: number;
  /** In hexadecimal. */
  sha256: string;
  createdAt: Date;
}

export interface NewFile {
  ownerId: string;
  /** Checked by the caller; here it is only a name. */
  path: string;
  mediaType: string;
  content: Uint8Array;
}

export interface FileContent {
  content: Buffer;
  /** More of the file is there than was asked for. */
  truncated: boolean;
}

/** Stores a file. `name_taken` when its owner has one at the same path. */
export async function createFile(tx: TenantTx, input: NewFile): Promise<StoredFile> {
  const content = Buffer.from(input.content.buffer, input.content.byteOffset, input.content.byteLength);
  const { id } = await tx
    .insertInto('lamb.files')
    .values({
      owner_id: input.ownerId,
      path: input.path,
      media_type: input.mediaType,
      size: content.length,
      sha256: createHash('sha256').update(content).digest(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      if (findConstraint(error) !== 'files_owner_path_key') throw error;
      throw new AppError('name_taken', { details: { path: input.path }, cause: error });
    });
  await tx.insertInto('lamb.file_contents').values({ file_id: id, content }).execute();
  const row = await selectFiles(tx).where('f.id', '=', id).executeTakeFirstOrThrow();
  return toFile(row);
}

export async function getFile(tx: TenantTx, id: string): Promise<StoredFile | undefined> {
  const [row] = await executePrepared(tx, selectFiles(tx).where('f.id', '=', id));
  return row === undefined ? undefined : toFile(row);
}

export async function getFileByPath(tx: TenantTx, ownerId: string, path: string): Promise<StoredFile | undefined> {
  const [row] = await executePrepared(tx, selectFiles(tx).where('f.owner_id', '=', ownerId).where('f.path', '=', path));
  return row === undefined ? undefined : toFile(row);
}

/** A file's bytes, or its first `maxBytes`; the rest is then not even read from the disk. */
export async function readFileContent(
  tx: TenantTx,
  id: string,
  { maxBytes }: { maxBytes?: number } = {},
): Promise<FileContent | undefined> {
  const bytes =
    maxBytes === undefined ? sql<Buffer>`c.content` : sql<Buffer>`substr(c.content, 1, ${maxBytes}::integer)`;
  const row = await tx
    .selectFrom('lamb.file_contents as c')
    .innerJoin('lamb.files as f', 'f.id', 'c.file_id')
    .select([bytes.as('content'), 'f.size'])
    .where('c.file_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : { content: row.content, truncated: row.content.length < row.size };
}

export interface FileListRequest extends PageRequest {
  /** Whose files; left out: the whole organisation's. */
  ownerId?: string | undefined;
}

/** Files, newest first. */
export async function listFiles(tx: TenantTx, request: FileListRequest): Promise<Page<StoredFile>> {
  const count = chooseRowCount(request.limit);
  const after = decodeCursor('created', request.cursor);
  let query = selectFiles(tx).orderBy('f.created_at', 'desc').orderBy('f.id', 'desc').limit(sql.lit(count));
  if (request.ownerId !== undefined) query = query.where('f.owner_id', '=', request.ownerId);
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(f.created_at, f.id) < (${readTime(after)}::timestamptz, ${readUuid(after.id)}::uuid)`,
    );
  }
  const rows = await executePrepared(tx, query);
  return cutPage(
    rows,
    request.limit,
    'created',
    (row) => ({ value: row.created_at.toISOString(), id: row.id }),
    toFile,
  );
}

export async function deleteFile(tx: TenantTx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('lamb.files').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** The bytes that the organisation's files take. */
export async function sumStorage(tx: TenantTx): Promise<number> {
  const { bytes } = await tx
    .selectFrom('lamb.files')
    .select(sql<number>`coalesce(sum(size), 0)::bigint`.as('bytes'))
    .executeTakeFirstOrThrow();
  return bytes;
}

function selectFiles(tx: TenantTx) {
  return tx
    .selectFrom('lamb.files as f')
    .innerJoin('auth.user as u', 'u.id', 'f.owner_id')
    .select(['f.id', 'f.owner_id', 'u.email as owner_email', 'f.path', 'f.media_type', 'f.size', 'f.sha256'])
    .select('f.created_at');
}

type FileRow = Awaited<ReturnType<ReturnType<typeof selectFiles>['executeTakeFirstOrThrow']>>;

function toFile(row: FileRow): StoredFile {
  return {
    id: row.id,
    ownerId: row.owner_id,
    ownerEmail: row.owner_email,
    path: row.path,
    mediaType: row.media_type,
    size: row.size,
    sha256: row.sha256.toString('hex'),
    createdAt: row.created_at,
  };
}
