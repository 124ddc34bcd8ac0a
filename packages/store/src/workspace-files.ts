import { AppError, MAX_WORKSPACE_FILE_BYTES } from '@lamb/contract';
import { sql, type Generated, type GeneratedAlways } from 'kysely';
import type { TenantTx } from './with-tenant.ts';
import { sumWorkspace } from './workspaces.ts';

export interface WorkspaceFileTable {
  workspace_id: string;
  path: string;
  organization_id: Generated<string>;
  content: string;
  size: GeneratedAlways<number>;
  version: number;
  written_by: string;
  call: string | null;
  written_at: Generated<Date>;
}

export type WorkspaceBackupTable = WorkspaceFileTable;

export interface StoredWorkspaceFile {
  path: string;
  /** In bytes of UTF-8. */
  size: number;
  /** Never the same twice in one workspace. */
  version: number;
  writtenBy: string;
  /** The function call that wrote this version; null when a person did. */
  call: string | null;
  writtenAt: Date;
}

export interface WorkspaceText extends StoredWorkspaceFile {
  content: string;
}

export interface NewWorkspaceText {
  /** Checked by the caller; here it is only a name. */
  path: string;
  content: string;
  writtenBy: string;
  call?: string | undefined;
}

/** More would make lists and archives unwieldy; a workspace is no disk. */
const MAX_FILES = 500;
const MAX_BACKUPS_PER_FILE = 50;

const described = ['path', 'size', 'version', 'written_by', 'call', 'written_at'] as const;

export async function listWorkspaceFiles(tx: TenantTx, workspaceId: string): Promise<StoredWorkspaceFile[]> {
  const rows = await tx
    .selectFrom('lamb.workspace_files')
    .select(described)
    .where('workspace_id', '=', workspaceId)
    .orderBy('path')
    .execute();
  return rows.map(toFile);
}

export async function readWorkspaceFile(
  tx: TenantTx,
  workspaceId: string,
  path: string,
): Promise<WorkspaceText | undefined> {
  const row = await tx
    .selectFrom('lamb.workspace_files')
    .select([...described, 'content'])
    .where('workspace_id', '=', workspaceId)
    .where('path', '=', path)
    .executeTakeFirst();
  return row && { ...toFile(row), content: row.content };
}

/** Every file with its text, by path. At most as much as the workspace's quota. */
export async function readWorkspaceFiles(tx: TenantTx, workspaceId: string): Promise<WorkspaceText[]> {
  const rows = await tx
    .selectFrom('lamb.workspace_files')
    .select([...described, 'content'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('path')
    .execute();
  return rows.map((row) => ({ ...toFile(row), content: row.content }));
}

/** Writes a file, new or not; what was there becomes a backup. */
export async function putWorkspaceFile(
  tx: TenantTx,
  workspaceId: string,
  file: NewWorkspaceText,
): Promise<StoredWorkspaceFile> {
  const version = await takeVersion(tx, workspaceId);
  const current = await findVersion(tx, workspaceId, file.path);
  if (current === undefined) await requireFreePlace(tx, workspaceId, file.path);
  return await write(tx, workspaceId, file, { version, replaces: current });
}

/** Replaces a file that is still at `expectedVersion`; undefined when it is not, or is gone. What it was becomes a backup. */
export async function replaceWorkspaceFile(
  tx: TenantTx,
  workspaceId: string,
  file: NewWorkspaceText & { expectedVersion: number },
): Promise<StoredWorkspaceFile | undefined> {
  const version = await takeVersion(tx, workspaceId);
  const current = await findVersion(tx, workspaceId, file.path);
  if (current !== file.expectedVersion) return undefined;
  return await write(tx, workspaceId, file, { version, replaces: current });
}

/** Deletes a file and its backups. */
export async function deleteWorkspaceFile(tx: TenantTx, workspaceId: string, path: string): Promise<boolean> {
  await takeVersion(tx, workspaceId);
  const { numDeletedRows } = await tx
    .deleteFrom('lamb.workspace_files')
    .where('workspace_id', '=', workspaceId)
    .where('path', '=', path)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** What a file was before, newest first. */
export async function listWorkspaceBackups(
  tx: TenantTx,
  workspaceId: string,
  path: string,
): Promise<StoredWorkspaceFile[]> {
  const rows = await tx
    .selectFrom('lamb.workspace_backups')
    .select(described)
    .where('workspace_id', '=', workspaceId)
    .where('path', '=', path)
    .orderBy('version', 'desc')
    .execute();
  return rows.map(toFile);
}

/** Forgets what a file was before; says how many versions that were. */
export async function deleteWorkspaceBackups(tx: TenantTx, workspaceId: string, path: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('lamb.workspace_backups')
    .where('workspace_id', '=', workspaceId)
    .where('path', '=', path)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Writes an earlier version of a file again, as a new one; undefined when there is no such version. */
export async function restoreWorkspaceFile(
  tx: TenantTx,
  workspaceId: string,
  { path, version: wanted, writtenBy }: { path: string; version: number; writtenBy: string },
): Promise<StoredWorkspaceFile | undefined> {
  const version = await takeVersion(tx, workspaceId);
  const backup = await tx
    .selectFrom('lamb.workspace_backups')
    .select('content')
    .where('workspace_id', '=', workspaceId)
    .where('path', '=', path)
    .where('version', '=', wanted)
    .executeTakeFirst();
  if (!backup) return undefined;
  const current = await findVersion(tx, workspaceId, path);
  return await write(tx, workspaceId, { path, content: backup.content, writtenBy }, { version, replaces: current });
}

/** The next version of the workspace. Until the transaction ends, nobody else writes to it. */
async function takeVersion(tx: TenantTx, workspaceId: string): Promise<number> {
  const row = await tx
    .updateTable('lamb.workspaces')
    .set({ revision: sql`revision + 1` })
    .where('id', '=', workspaceId)
    .returning('revision')
    .executeTakeFirst();
  if (!row) throw new AppError('not_found');
  return row.revision;
}

async function findVersion(tx: TenantTx, workspaceId: string, path: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom('lamb.workspace_files')
    .select('version')
    .where('workspace_id', '=', workspaceId)
    .where('path', '=', path)
    .executeTakeFirst();
  return row?.version;
}

async function write(
  tx: TenantTx,
  workspaceId: string,
  file: NewWorkspaceText,
  { version, replaces }: { version: number; replaces: number | undefined },
): Promise<StoredWorkspaceFile> {
  requireText(file.content);
  const values = { content: file.content, version, written_by: file.writtenBy, call: file.call ?? null };
  if (replaces !== undefined) await backUp(tx, workspaceId, file.path);
  const row = await tx
    .insertInto('lamb.workspace_files')
    .values({ workspace_id: workspaceId, path: file.path, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'workspace_id', 'path'])
        .doUpdateSet({ ...values, written_at: sql<Date>`now()` }),
    )
    .returning(described)
    .executeTakeFirstOrThrow();
  await requireQuota(tx, workspaceId);
  return toFile(row);
}

async function backUp(tx: TenantTx, workspaceId: string, path: string): Promise<void> {
  const columns = ['workspace_id', 'path', 'version', 'content', 'written_by', 'call', 'written_at'] as const;
  await tx
    .insertInto('lamb.workspace_backups')
    .columns(columns)
    .expression(
      tx
        .selectFrom('lamb.workspace_files')
        .select(columns)
        .where('workspace_id', '=', workspaceId)
        .where('path', '=', path),
    )
    .execute();
  await tx
    .deleteFrom('lamb.workspace_backups')
    .where('workspace_id', '=', workspaceId)
    .where('path', '=', path)
    .where('version', 'in', (query) =>
      query
        .selectFrom('lamb.workspace_backups')
        .select('version')
        .where('workspace_id', '=', workspaceId)
        .where('path', '=', path)
        .orderBy('version', 'desc')
        .offset(sql.lit(MAX_BACKUPS_PER_FILE)),
    )
    .execute();
}

function requireText(content: string): void {
  if (Buffer.byteLength(content) > MAX_WORKSPACE_FILE_BYTES) {
    throw new AppError('payload_too_large', {
      message: 'A file of a workspace may have 2 MB at most.',
      details: { limit: MAX_WORKSPACE_FILE_BYTES },
    });
  }
  // Written as UTF-8, half of a character would silently become another one.
  if (!content.isWellFormed() || content.includes('\0')) {
    throw new AppError('invalid_request', {
      message: 'A workspace keeps text in UTF-8: no U+0000, and no half of a character.',
    });
  }
}

/** A name that is a file and a folder at once could not be unpacked from an archive. */
async function requireFreePlace(tx: TenantTx, workspaceId: string, path: string): Promise<void> {
  const steps = path.split('/');
  const folders = steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('/'));
  const paths = (await listWorkspaceFiles(tx, workspaceId)).map((file) => file.path);
  if (paths.length >= MAX_FILES) {
    throw new AppError('invalid_request', { message: `A workspace holds ${MAX_FILES} files at most. Delete some.` });
  }
  const inTheWay = paths.find((other) => folders.includes(other) || other.startsWith(`${path}/`));
  if (inTheWay === undefined) return;
  throw new AppError('name_taken', {
    message: `“${path}” cannot be beside “${inTheWay}”: one name would be a file and a folder.`,
    details: { path: inTheWay },
  });
}

/** Asked after the write, which the error then undoes: what the database counts is what it holds. */
async function requireQuota(tx: TenantTx, workspaceId: string): Promise<void> {
  const used = await sumWorkspace(tx, workspaceId);
  const { quota_bytes: limit } = await tx
    .selectFrom('lamb.workspaces')
    .select('quota_bytes')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  if (used <= limit) return;
  throw new AppError('payload_too_large', {
    message: 'The workspace is full. Delete files or backups first; backups count too.',
    details: { limit, needed: used },
  });
}

type FileRow = Pick<WorkspaceFileTable, 'path' | 'version' | 'written_by' | 'call'> & {
  size: number;
  written_at: Date;
};

function toFile(row: FileRow): StoredWorkspaceFile {
  return {
    path: row.path,
    size: row.size,
    version: row.version,
    writtenBy: row.written_by,
    call: row.call,
    writtenAt: row.written_at,
  };
}
