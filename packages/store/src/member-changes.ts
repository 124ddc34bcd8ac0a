import { AppError, type Role } from '@lamb/contract';
import { sql } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

/**
 * Changes what a member is, whether they may come in, or whether their address is confirmed. `last_owner` when nobody would be left who owns the
 * organisation. Who is no administrator any more has no keys of trusted gateways either.
 */
export async function updateMember(
  tx: TenantTx,
  userId: string,
  change: { role?: Role | undefined; enabled?: boolean | undefined; emailConfirmed?: boolean | undefined },
): Promise<boolean> {
  await lockOrganization(tx);
  const { role, enabled, emailConfirmed } = change;
  const { numUpdatedRows } = await tx
    .updateTable('auth.member')
    .set({
      ...(role !== undefined && { role }),
      ...(enabled !== undefined && { enabled }),
      ...(emailConfirmed !== undefined && { emailConfirmed }),
    })
    .where('organizationId', '=', tx.organizationId)
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  await requireOwner(tx);
  if (role === 'member' || role === 'end_user') {
    await tx
      .updateTable('auth.apikey')
      .set({ trustedGateway: false })
      .where('organizationId', '=', tx.organizationId)
      .where('referenceId', '=', userId)
      .execute();
  }
  return numUpdatedRows > 0n;
}

/** Takes somebody out of the organisation, with their keys, shares and caps there. Their account stays: it may belong elsewhere too. */
export async function removeMember(tx: TenantTx, userId: string): Promise<boolean> {
  await lockOrganization(tx);
  const { numDeletedRows } = await tx
    .deleteFrom('auth.member')
    .where('organizationId', '=', tx.organizationId)
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  await requireOwner(tx);
  await tx
    .deleteFrom('auth.apikey')
    .where('organizationId', '=', tx.organizationId)
    .where('referenceId', '=', userId)
    .execute();
  await tx.deleteFrom('lamb.assistant_shares').where('user_id', '=', userId).execute();
  await tx.deleteFrom('lamb.user_caps').where('user_id', '=', userId).execute();
  await tx
    .updateTable('auth.session')
    .set({ activeOrganizationId: null })
    .where('userId', '=', userId)
    .where('activeOrganizationId', '=', tx.organizationId)
    .execute();
  return numDeletedRows > 0n;
}

/** Two owners who remove each other at the same moment would otherwise both succeed. */
async function lockOrganization(tx: TenantTx): Promise<void> {
  await tx.selectFrom('auth.organization').select('id').where('id', '=', tx.organizationId).forUpdate().execute();
}

async function requireOwner(tx: TenantTx): Promise<void> {
  const owner = await tx
    .selectFrom('auth.member as m')
    .innerJoin('auth.user as u', 'u.id', 'm.userId')
    .select('m.id')
    .where('m.organizationId', '=', tx.organizationId)
    .where('m.enabled', 'is', true)
    .where('u.enabled', 'is', true)
    .where(sql<boolean>`'owner' = any(string_to_array(m.role, ','))`)
    .limit(1)
    .executeTakeFirst();
  if (!owner) throw new AppError('last_owner');
}
