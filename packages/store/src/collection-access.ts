import { sql } from 'kysely';
import {
  selectCollections,
  selectSearchableCollections,
  toCollection,
  toSearchableCollection,
  type Collection,
  type CollectionRow,
  type SearchableCollection,
} from './collections.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

/** A collection and what a user is to it: what a policy needs, in one query. */
export interface CollectionAccess {
  collection: Collection;
  isOwner: boolean;
  isShared: boolean;
  /** Owner, shared with, or open to the whole organisation. */
  isReadable: boolean;
}

export async function getCollectionAccess(
  tx: TenantTx,
  id: number,
  userId: string,
): Promise<CollectionAccess | undefined> {
  const [row] = await executePrepared(tx, selectCollectionAccess(tx, userId).where('c.id', '=', id));
  return row === undefined ? undefined : toCollectionAccess(row);
}

/** Of these collections, those that a user may search and read, in the order they were named. */
export async function findReadableCollections(
  tx: TenantTx,
  ids: readonly number[],
  userId: string,
): Promise<SearchableCollection[]> {
  const rows = await executePrepared(
    tx,
    selectSearchableCollections(tx)
      .where(sql<boolean>`c.id = any(${[...ids]}::integer[])`)
      .where(isCollectionReadable(userId)),
  );
  const found = new Map(rows.map((row) => [row.id, toSearchableCollection(row)]));
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? []);
}

/** For queries that call the collection's row `c`. */
export const isCollectionOwner = (userId: string) => sql<boolean>`(c.owner_id = ${userId}::uuid)`;

const isCollectionShared = (userId: string) =>
  sql<boolean>`exists (select from lamb.collection_shares s where s.collection_id = c.id and s.user_id = ${userId}::uuid)`;

export const isCollectionReadable = (userId: string) =>
  sql<boolean>`(${isCollectionOwner(userId)} or c.visibility = 'organization' or ${isCollectionShared(userId)})`;

function selectCollectionAccess(tx: TenantTx, userId: string) {
  return selectCollections(tx).select([
    isCollectionOwner(userId).as('is_owner'),
    isCollectionShared(userId).as('is_shared'),
  ]);
}

function toCollectionAccess(row: CollectionRow & { is_owner: boolean; is_shared: boolean }): CollectionAccess {
  return {
    collection: toCollection(row),
    isOwner: row.is_owner,
    isShared: row.is_shared,
    isReadable: row.is_owner || row.is_shared || row.visibility === 'organization',
  };
}
