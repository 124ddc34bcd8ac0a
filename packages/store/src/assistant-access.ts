import { sql } from 'kysely';
import { selectAssistants, toAssistant, type Assistant, type AssistantRow } from './assistants.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

/** An assistant and what a user is to it: what a policy needs, in one query. */
export interface AssistantAccess {
  assistant: Assistant;
  isOwner: boolean;
  isShared: boolean;
  isPublished: boolean;
}

export async function getAssistantAccess(
  tx: TenantTx,
  id: number,
  userId: string,
): Promise<AssistantAccess | undefined> {
  const [row] = await executePrepared(
    tx,
    selectAssistantAccess(tx, userId).where('a.id', '=', id).where('a.deleted_at', 'is', null),
  );
  return row === undefined ? undefined : toAssistantAccess(row);
}

/** The same for an assistant that was deleted after `since`, and can be restored. */
export async function getDeletedAssistantAccess(
  tx: TenantTx,
  id: number,
  userId: string,
  since: Date,
): Promise<AssistantAccess | undefined> {
  const row = await selectAssistantAccess(tx, userId)
    .where('a.id', '=', id)
    .where('a.deleted_at', '>', since)
    .executeTakeFirst();
  return row === undefined ? undefined : toAssistantAccess(row);
}

/** The assistant a user means by a name: their own first, then one shared with them, then a published one, newest first. */
export async function findAssistantByName(
  tx: TenantTx,
  name: string,
  userId: string,
): Promise<AssistantAccess | undefined> {
  const named = tx
    .selectFrom('lamb.assistants')
    .select('id')
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .union(
      tx
        .selectFrom('lamb.assistants')
        .select('id')
        .where('published_name', '=', name)
        .where('published_at', 'is not', null)
        .where('deleted_at', 'is', null),
    );
  const [row] = await executePrepared(
    tx,
    selectAssistantAccess(tx, userId)
      .innerJoin(named.as('named'), 'named.id', 'a.id')
      .where((eb) => eb.or([isOwner(userId), isShared(userId), eb('a.published_at', 'is not', null)]))
      .orderBy(isOwner(userId), 'desc')
      .orderBy(isShared(userId), 'desc')
      .orderBy('a.updated_at', 'desc')
      .orderBy('a.id', 'desc')
      .limit(sql.lit(1)),
  );
  return row === undefined ? undefined : toAssistantAccess(row);
}

/** For queries that call the assistant's row `a`. */
export const isOwner = (userId: string) => sql<boolean>`(a.owner_id = ${userId}::uuid)`;

export const isShared = (userId: string) =>
  sql<boolean>`exists (select from lamb.assistant_shares s where s.assistant_id = a.id and s.user_id = ${userId}::uuid)`;

export const hasShares = sql<boolean>`exists (select from lamb.assistant_shares s where s.assistant_id = a.id)`;

function selectAssistantAccess(tx: TenantTx, userId: string) {
  return selectAssistants(tx).select([isOwner(userId).as('is_owner'), isShared(userId).as('is_shared')]);
}

function toAssistantAccess(row: AssistantRow & { is_owner: boolean; is_shared: boolean }): AssistantAccess {
  return {
    assistant: toAssistant(row),
    isOwner: row.is_owner,
    isShared: row.is_shared,
    isPublished: row.published_at !== null,
  };
}
