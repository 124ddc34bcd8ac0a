import { AppError } from '@lamb/contract';
import { sql, type Generated } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

export interface WorkspaceTable {
  id: Generated<string>;
  organization_id: Generated<string>;
  assistant_id: number;
  user_id: string;
  end_user: string;
  chat_id: string | null;
  quota_bytes: number;
  revision: Generated<number>;
  created_at: Generated<Date>;
}

/** What a new workspace may hold, backups included. */
export const WORKSPACE_QUOTA_BYTES = 20_000_000;

/** Whose workspace: one person's with one assistant. */
export interface WorkspaceKey {
  assistantId: number;
  userId: string;
  /** The person in front of the screen; where nobody speaks for somebody else, the user again. */
  endUser: string;
}

export interface Workspace {
  id: string;
  quotaBytes: number;
}

/** The workspace, if anything was ever written to it. */
export async function findWorkspace(tx: TenantTx, key: WorkspaceKey): Promise<Workspace | undefined> {
  const row = await tx
    .selectFrom('lamb.workspaces')
    .select(['id', 'quota_bytes'])
    .where('assistant_id', '=', key.assistantId)
    .where('user_id', '=', key.userId)
    .where('end_user', '=', key.endUser)
    .where('chat_id', 'is', null)
    .executeTakeFirst();
  return row && { id: row.id, quotaBytes: row.quota_bytes };
}

/** The workspace, made now if there was none. */
export async function ensureWorkspace(tx: TenantTx, key: WorkspaceKey): Promise<Workspace> {
  const found = await findWorkspace(tx, key);
  if (found) return found;
  await tx
    .insertInto('lamb.workspaces')
    .values({
      assistant_id: key.assistantId,
      user_id: key.userId,
      end_user: key.endUser,
      quota_bytes: WORKSPACE_QUOTA_BYTES,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const made = await findWorkspace(tx, key);
  if (!made) throw new AppError('not_found');
  return made;
}

/** The bytes that a workspace's files and their backups take. */
export async function sumWorkspace(tx: TenantTx, workspaceId: string): Promise<number> {
  const bytesOf = (table: 'lamb.workspace_files' | 'lamb.workspace_backups') =>
    tx
      .selectFrom(table)
      .select(sql<number>`coalesce(sum(size), 0)::bigint`.as('bytes'))
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow();
  const files = await bytesOf('lamb.workspace_files');
  const backups = await bytesOf('lamb.workspace_backups');
  return files.bytes + backups.bytes;
}
