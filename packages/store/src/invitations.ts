import { createHash } from 'node:crypto';
import type { Role } from '@lamb/contract';
import { sql, type Generated } from 'kysely';
import { cutPage, decodeCursor, chooseRowCount, readTime, readUuid, type Page, type PageRequest } from './keyset.ts';
import type { TenantTx } from './with-tenant.ts';

export interface InvitationTable {
  id: Generated<string>;
  organization_id: Generated<string>;
  email: string;
  role: Role;
  token_digest: Buffer;
  invited_by: string;
  created_at: Generated<Date>;
  expires_at: Date;
  accepted_at: Date | null;
  accepted_by: string | null;
  revoked_at: Date | null;
}

export interface Invitation {
  id: string;
  email: string;
  role: Role;
  invitedBy: string;
  createdAt: Date;
  expiresAt: Date;
}

export interface NewInvitation {
  email: string;
  role: Role;
  /** Kept as a digest only. */
  token: string;
  invitedBy: string;
  expiresAt: Date;
}

/** Makes an invitation. An earlier one to the same address that is still open is revoked: one link per person. */
export async function createInvitation(tx: TenantTx, input: NewInvitation): Promise<Invitation> {
  await tx
    .updateTable('lamb.invitations')
    .set({ revoked_at: sql<Date>`now()` })
    .where(sql<boolean>`lower(email) = lower(${input.email})`)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
  return await tx
    .insertInto('lamb.invitations')
    .values({
      email: input.email,
      role: input.role,
      token_digest: digest(input.token),
      invited_by: input.invitedBy,
      expires_at: input.expiresAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** The invitations that can still be accepted, newest first. */
export async function listInvitations(tx: TenantTx, page: PageRequest): Promise<Page<Invitation>> {
  const after = decodeCursor('created', page.cursor);
  let query = selectOpen(tx)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(chooseRowCount(page.limit)));
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(created_at, id) < (${readTime(after)}::timestamptz, ${readUuid(after.id)}::uuid)`,
    );
  }
  const rows = await query.execute();
  return cutPage(
    rows,
    page.limit,
    'created',
    (row) => ({ value: row.createdAt.toISOString(), id: row.id }),
    (row) => row,
  );
}

export async function findInvitation(tx: TenantTx, token: string): Promise<Invitation | undefined> {
  return await selectOpen(tx).where('token_digest', '=', digest(token)).executeTakeFirst();
}

/** Uses up an invitation. Undefined when there is none to use; of several who try at once, one gets it. */
export async function acceptInvitation(tx: TenantTx, token: string): Promise<Invitation | undefined> {
  return await tx
    .updateTable('lamb.invitations')
    .set({ accepted_at: sql<Date>`now()` })
    .where('token_digest', '=', digest(token))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(columns)
    .executeTakeFirst();
}

/** Says who accepted it. */
export async function noteAcceptance(tx: TenantTx, id: string, userId: string): Promise<void> {
  await tx.updateTable('lamb.invitations').set({ accepted_by: userId }).where('id', '=', id).execute();
}

/** Gives an invitation back that was used up for nothing, unless there is a newer one by now. */
export async function reopenInvitation(tx: TenantTx, { id, email }: Pick<Invitation, 'id' | 'email'>): Promise<void> {
  await tx
    .updateTable('lamb.invitations')
    .set({ accepted_at: null })
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('lamb.invitations as newer')
            .select('newer.id')
            .where(sql<boolean>`lower(newer.email) = lower(${email})`)
            .where('newer.accepted_at', 'is', null)
            .where('newer.revoked_at', 'is', null),
        ),
      ),
    )
    .execute();
}

/** Revokes an invitation that is still open; returns whose it was. */
export async function revokeInvitation(tx: TenantTx, id: string): Promise<{ email: string } | undefined> {
  return await tx
    .updateTable('lamb.invitations')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('email')
    .executeTakeFirst();
}

const columns = [
  'id',
  'email',
  'role',
  'invited_by as invitedBy',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const;

function selectOpen(tx: TenantTx) {
  return tx
    .selectFrom('lamb.invitations')
    .select(columns)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
