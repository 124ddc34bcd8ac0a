import { AppError } from '@lamb/contract';
import type { Generated } from 'kysely';
import { findConstraint } from './find-constraint.ts';
import type { TenantTx } from './with-tenant.ts';

export interface AssistantShareTable {
  assistant_id: number;
  user_id: string;
  organization_id: Generated<string>;
  shared_by: string | null;
  created_at: Generated<Date>;
}

export interface AssistantShare {
  userId: string;
  email: string;
  name: string;
  sharedBy: string | null;
  sharedAt: Date;
}

/** Who an assistant is shared with, by e-mail address. */
export async function listAssistantShares(tx: TenantTx, assistantId: number): Promise<AssistantShare[]> {
  return await tx
    .selectFrom('lamb.assistant_shares as s')
    .innerJoin('auth.user as u', 'u.id', 's.user_id')
    .select(['u.id as userId', 'u.email', 'u.name', 's.shared_by as sharedBy', 's.created_at as sharedAt'])
    .where('s.assistant_id', '=', assistantId)
    .orderBy('u.email')
    .execute();
}

/** Shares an assistant with users; those who have it already keep it. */
export async function shareAssistant(
  tx: TenantTx,
  assistantId: number,
  userIds: readonly string[],
  sharedBy: string,
): Promise<void> {
  if (userIds.length === 0) return;
  await tx
    .insertInto('lamb.assistant_shares')
    .values(userIds.map((userId) => ({ assistant_id: assistantId, user_id: userId, shared_by: sharedBy })))
    .onConflict((conflict) => conflict.columns(['assistant_id', 'user_id']).doNothing())
    .execute()
    .catch(explainMissing);
}

/** Takes an assistant back from users. */
export async function unshareAssistant(tx: TenantTx, assistantId: number, userIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('lamb.assistant_shares')
    .where('assistant_id', '=', assistantId)
    .where((eb) => eb('user_id', '=', eb.fn.any(eb.val([...userIds]))))
    .execute();
}

function explainMissing(error: unknown): never {
  if (findConstraint(error)?.endsWith('_fkey') !== true) throw error;
  throw new AppError('not_found', { message: 'There is no such assistant, or no such user.', cause: error });
}
