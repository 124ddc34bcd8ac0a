import { AppError } from '@lamb/contract';
import type { Generated } from 'kysely';
import { findConstraint } from './find-constraint.ts';
import type { TenantTx } from './with-tenant.ts';

export interface CollectionShareTable {
  collection_id: number;
  user_id: string;
  organization_id: Generated<string>;
  shared_by: string | null;
  created_at: Generated<Date>;
}

export interface CollectionShare {
  userId: string;
  email: string;
  name: string;
  sharedBy: string | null;
  sharedAt: Date;
}

/** Who a collection is shared with, by e-mail address. */
export async function listCollectionShares(tx: TenantTx, collectionId: number): Promise<CollectionShare[]> {
  return await tx
    .selectFrom('lamb.collection_shares as s')
    .innerJoin('auth.user as u', 'u.id', 's.user_id')
    .select(['u.id as userId', 'u.email', 'u.name', 's.shared_by as sharedBy', 's.created_at as sharedAt'])
    .where('s.collection_id', '=', collectionId)
    .orderBy('u.email')
    .execute();
}

/** Shares a collection with users; those who have it already keep it. */
export async function shareCollection(
  tx: TenantTx,
  collectionId: number,
  userIds: readonly string[],
  sharedBy: string,
): Promise<void> {
  if (userIds.length === 0) return;
  await tx
    .insertInto('lamb.collection_shares')
    .values(userIds.map((userId) => ({ collection_id: collectionId, user_id: userId, shared_by: sharedBy })))
    .onConflict((conflict) => conflict.columns(['collection_id', 'user_id']).doNothing())
    .execute()
    .catch(explainMissing);
}

/** Takes a collection back from users. */
export async function unshareCollection(tx: TenantTx, collectionId: number, userIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('lamb.collection_shares')
    .where('collection_id', '=', collectionId)
    .where((eb) => eb('user_id', '=', eb.fn.any(eb.val([...userIds]))))
    .execute();
}

function explainMissing(error: unknown): never {
  if (findConstraint(error)?.endsWith('_fkey') !== true) throw error;
  throw new AppError('not_found', { message: 'There is no such collection, or no such user.', cause: error });
}
