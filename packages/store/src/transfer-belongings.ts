import { sql } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

/** What somebody owns in an organisation. */
export interface Belongings {
  assistants: number;
  rubrics: number;
  files: number;
  collections: number;
}

export async function countBelongings(tx: TenantTx, ownerId: string): Promise<Belongings> {
  const { rows } = await sql<Belongings>`
    select
      (select count(*) from lamb.assistants where owner_id = ${ownerId}::uuid and deleted_at is null) as assistants,
      (select count(*) from lamb.rubrics where owner_id = ${ownerId}::uuid) as rubrics,
      (select count(*) from lamb.files where owner_id = ${ownerId}::uuid) as files,
      (select count(*) from lamb.collections where owner_id = ${ownerId}::uuid) as collections`.execute(tx);
  return rows[0] ?? { assistants: 0, rubrics: 0, files: 0, collections: 0 };
}

/**
 * Gives everything that somebody owns to somebody else: an assistant without what its tools read would be
 * broken. Where the new owner has the same name or path, what comes is renamed; the paths of files that were
 * are returned, because tools name files by their paths.
 */
export async function transferBelongings(
  tx: TenantTx,
  fromId: string,
  toId: string,
): Promise<{ moved: Belongings; renamedFiles: string[] }> {
  const moved = await countBelongings(tx, fromId);
  await sql`
    update lamb.assistants as a
    set owner_id = ${toId}::uuid, name = case when exists (
      select from lamb.assistants as other
      where other.owner_id = ${toId}::uuid and other.deleted_at is null and other.name = a.name
    ) then a.name || ' (' || a.id || ')' else a.name end
    where a.owner_id = ${fromId}::uuid`.execute(tx);
  await sql`
    update lamb.collections as c
    set owner_id = ${toId}::uuid, name = case when exists (
      select from lamb.collections as other where other.owner_id = ${toId}::uuid and other.name = c.name
    ) then c.name || ' (' || c.id || ')' else c.name end
    where c.owner_id = ${fromId}::uuid`.execute(tx);
  await sql`update lamb.rubrics set owner_id = ${toId}::uuid where owner_id = ${fromId}::uuid`.execute(tx);
  const { rows } = await sql<{ path: string; renamed: boolean }>`
    update lamb.files as f
    set owner_id = ${toId}::uuid, path = case when taken.path is null then f.path else 'transferred/' || f.id || '/' || f.path end
    from lamb.files as mine left join lamb.files as taken on taken.owner_id = ${toId}::uuid and taken.path = mine.path
    where mine.id = f.id and f.owner_id = ${fromId}::uuid
    returning mine.path, taken.path is not null as renamed`.execute(tx);
  return { moved, renamedFiles: rows.filter(({ renamed }) => renamed).map(({ path }) => path) };
}

/** Hides all assistants of somebody from everything but `restoreAssistant`. */
export async function discardAssistants(tx: TenantTx, ownerId: string): Promise<void> {
  await tx
    .updateTable('lamb.assistants')
    .set({ deleted_at: sql<Date>`now()` })
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .execute();
}
