import { sql, type ColumnType, type Generated } from 'kysely';
import { chooseRowCount, cutPage, decodeCursor, readTime, readUuid, type Page, type PageRequest } from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface ChatTable {
  id: Generated<string>;
  organization_id: Generated<string>;
  user_id: string;
  assistant_id: number;
  title: Generated<string>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface ChatMessageTable {
  id: Generated<number>;
  organization_id: Generated<string>;
  chat_id: string;
  run_id: string | null;
  message: ColumnType<unknown, string, never>;
  created_at: Generated<Date>;
}

export interface Chat {
  id: string;
  userId: string;
  assistantId: number;
  title: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface StoredChatMessage {
  runId: string | null;
  message: unknown;
  createdAt: Date;
}

export async function createChat(
  tx: TenantTx,
  chat: { userId: string; assistantId: number; title: string },
): Promise<Chat> {
  const { id } = await tx
    .insertInto('lamb.chats')
    .values({ user_id: chat.userId, assistant_id: chat.assistantId, title: chat.title })
    .returning('id')
    .executeTakeFirstOrThrow();
  return await selectChats(tx).where('id', '=', id).executeTakeFirstOrThrow();
}

export async function getChat(tx: TenantTx, id: string): Promise<Chat | undefined> {
  const [row] = await executePrepared(tx, selectChats(tx).where('id', '=', id));
  return row;
}

/** A user's chats, last used first. */
export async function listChats(tx: TenantTx, request: PageRequest & { userId: string }): Promise<Page<Chat>> {
  const count = chooseRowCount(request.limit);
  const after = decodeCursor('updated', request.cursor);
  let query = selectChats(tx)
    .where('user_id', '=', request.userId)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(count));
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(updated_at, id) < (${readTime(after)}::timestamptz, ${readUuid(after.id)}::uuid)`,
    );
  }
  const rows = await executePrepared(tx, query);
  return cutPage(
    rows,
    request.limit,
    'updated',
    (row) => ({ value: row.updatedAt.toISOString(), id: row.id }),
    (row) => row,
  );
}

export async function deleteChat(tx: TenantTx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('lamb.chats').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Adds a message of a run to a chat; the same run's message of the same role is added once. */
export async function addChatMessage(
  tx: TenantTx,
  chatId: string,
  entry: { runId: string; message: unknown },
): Promise<void> {
  await tx
    .insertInto('lamb.chat_messages')
    .values({ chat_id: chatId, run_id: entry.runId, message: JSON.stringify(entry.message) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx
    .updateTable('lamb.chats')
    .set({ updated_at: sql<Date>`now()` })
    .where('id', '=', chatId)
    .execute();
}

/** The messages of a chat, oldest first; of a very long one the last `limit`. */
export async function listChatMessages(tx: TenantTx, chatId: string, limit = 1000): Promise<StoredChatMessage[]> {
  const rows = await tx
    .selectFrom('lamb.chat_messages')
    .select(['run_id as runId', 'message', 'created_at as createdAt'])
    .where('chat_id', '=', chatId)
    .orderBy('id', 'desc')
    .limit(sql.lit(limit))
    .execute();
  return rows.toReversed();
}

function selectChats(tx: TenantTx) {
  return tx
    .selectFrom('lamb.chats')
    .select(['id', 'user_id as userId', 'assistant_id as assistantId', 'title'])
    .select(['created_at as createdAt', 'updated_at as updatedAt']);
}
