import { sql, type ColumnType, type Generated } from 'kysely';
import { forgetChatRuns } from './forget-runs.ts';
import { chooseRowCount, cutPage, decodeCursor, readTime, readUuid, type Page, type PageRequest } from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import type { RunStatus } from './runs.ts';
import type { TenantTx } from './with-tenant.ts';

export interface ChatTable {
  id: Generated<string>;
  organization_id: Generated<string>;
  user_id: string;
  assistant_id: number;
  title: Generated<string>;
  share_token: string | null;
  shared_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface ChatMessageTable {
  id: Generated<number>;
  organization_id: Generated<string>;
  chat_id: string;
  run_id: string | null;
  message: ColumnType<unknown, string, never>;
  superseded_by: ColumnType<string | null, never, string>;
  created_at: Generated<Date>;
}

export interface Chat {
  id: string;
  userId: string;
  assistantId: number;
  assistantName: string;
  /** Empty until something was said. */
  title: string;
  share: { token: string; sharedAt: Date } | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface StoredChatMessage {
  id: number;
  runId: string | null;
  runStatus: RunStatus | null;
  message: unknown;
  /** The run that took its place. */
  supersededBy: string | null;
  createdAt: Date;
}

export interface ChatListRequest extends PageRequest {
  userId: string;
  assistant?: number | undefined;
  /** A part of the title, of the assistant's name or of what was said. */
  search?: string | undefined;
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
  return toChat(await selectChats(tx).where('c.id', '=', id).executeTakeFirstOrThrow());
}

export async function getChat(tx: TenantTx, id: string): Promise<Chat | undefined> {
  const [row] = await executePrepared(tx, selectChats(tx).where('c.id', '=', id));
  return row && toChat(row);
}

/** The chat that is shared under a token; of a suspended organisation none is. */
export async function findSharedChat(tx: TenantTx, token: string): Promise<Chat | undefined> {
  const [row] = await executePrepared(
    tx,
    selectChats(tx)
      .innerJoin('auth.organization as o', 'o.id', 'c.organization_id')
      .where('c.share_token', '=', token)
      .where('o.status', '!=', 'suspended'),
  );
  return row && toChat(row);
}

/** A user's chats in which something was said, last used first: one whose first question was refused is none yet. */
export async function listChats(tx: TenantTx, request: ChatListRequest): Promise<Page<Chat>> {
  const count = chooseRowCount(request.limit);
  const after = decodeCursor('updated', request.cursor);
  const { assistant, search } = request;
  let query = selectChats(tx)
    .where('c.user_id', '=', request.userId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('lamb.chat_messages as said').select('said.id').whereRef('said.chat_id', '=', 'c.id')),
    )
    .orderBy('c.updated_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(sql.lit(count));
  if (assistant !== undefined) query = query.where('c.assistant_id', '=', assistant);
  if (search !== undefined) query = query.where(matchesSearch(search));
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(c.updated_at, c.id) < (${readTime(after)}::timestamptz, ${readUuid(after.id)}::uuid)`,
    );
  }
  const rows = await executePrepared(tx, query);
  return cutPage(
    rows,
    request.limit,
    'updated',
    (row) => ({ value: row.updatedAt.toISOString(), id: row.id }),
    (row) => toChat(row),
  );
}

/** Gives a chat a title; with `ifUntitled`, only one that has none. It does not count as using it. */
export async function renameChat(tx: TenantTx, id: string, title: string, { ifUntitled = false } = {}): Promise<void> {
  let query = tx.updateTable('lamb.chats').set({ title }).where('id', '=', id);
  if (ifUntitled) query = query.where('title', '=', '');
  await query.execute();
}

/** Shares what was said in a chat until now, under its token if it has one already. */
export async function shareChat(tx: TenantTx, id: string, token: string): Promise<void> {
  await tx
    .updateTable('lamb.chats')
    .set({ share_token: sql<string>`coalesce(share_token, ${token})`, shared_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** Takes back the link to a chat; a new one will be another. */
export async function unshareChat(tx: TenantTx, id: string): Promise<void> {
  await tx.updateTable('lamb.chats').set({ share_token: null, shared_at: null }).where('id', '=', id).execute();
}

/** Deletes a chat with all that was said in it. An answer that is under way goes when it has ended. */
export async function deleteChat(tx: TenantTx, id: string): Promise<boolean> {
  // In this order: a run that ends at this moment holds the chat until it has ended.
  const { numDeletedRows } = await tx.deleteFrom('lamb.chats').where('id', '=', id).executeTakeFirstOrThrow();
  await forgetChatRuns(tx, id);
  return numDeletedRows > 0n;
}

/** The messages of a chat, oldest first; of a very long one the last `limit`. With `superseded`, also those that others took the place of. */
export async function listChatMessages(
  tx: TenantTx,
  chatId: string,
  { limit = 1000, superseded = false } = {},
): Promise<StoredChatMessage[]> {
  let query = tx
    .selectFrom('lamb.chat_messages as m')
    .leftJoin('lamb.runs as r', 'r.id', 'm.run_id')
    .select(['m.id', 'm.run_id as runId', 'r.status as runStatus', 'm.message'])
    .select(['m.superseded_by as supersededBy', 'm.created_at as createdAt'])
    .where('m.chat_id', '=', chatId)
    .orderBy('m.id', 'desc')
    .limit(sql.lit(limit));
  if (!superseded) query = query.where('m.superseded_by', 'is', null);
  const rows = await query.execute();
  return rows.toReversed();
}

function matchesSearch(text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`(c.title ilike ${pattern} or a.name ilike ${pattern} or exists (
    select from lamb.chat_messages m
    where m.organization_id = c.organization_id and m.chat_id = c.id and m.superseded_by is null
      and case when jsonb_typeof(m.message -> 'content') = 'array'
        then exists (select from jsonb_array_elements(m.message -> 'content') part where part ->> 'text' ilike ${pattern})
        else m.message ->> 'content' ilike ${pattern} end))`;
}

function selectChats(tx: TenantTx) {
  return tx
    .selectFrom('lamb.chats as c')
    .innerJoin('lamb.assistants as a', 'a.id', 'c.assistant_id')
    .select(['c.id', 'c.user_id as userId', 'c.assistant_id as assistantId', 'a.name as assistantName', 'c.title'])
    .select(['c.share_token as shareToken', 'c.shared_at as sharedAt'])
    .select(['c.created_at as createdAt', 'c.updated_at as updatedAt']);
}

type ChatRow = Omit<Chat, 'share'> & { shareToken: string | null; sharedAt: Date | null };

function toChat({ shareToken: token, sharedAt, ...chat }: ChatRow): Chat {
  return { ...chat, share: token === null || sharedAt === null ? null : { token, sharedAt } };
}
