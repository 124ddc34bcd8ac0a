import { sql, type Generated } from 'kysely';
import { recountBudgets } from './budget-counters.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface OrganizationCapsTable {
  organization_id: Generated<string>;
  currency: Generated<string>;
  tokens: number | null;
  micros: number | null;
  user_tokens: number | null;
  user_micros: number | null;
}

export interface UserCapsTable {
  organization_id: Generated<string>;
  user_id: string;
  tokens: number | null;
  micros: number | null;
}

/** How much may be used in a month; null: as much as one likes. */
export interface Caps {
  tokens: number | null;
  micros: number | null;
}

export interface UserCaps extends Caps {
  userId: string;
}

export interface BudgetCaps {
  currency: string;
  organization: Caps;
  /** For each user who has no caps of their own. */
  userDefault: Caps;
  users: UserCaps[];
}

export async function getBudgetCaps(tx: TenantTx): Promise<BudgetCaps> {
  const row = await tx
    .selectFrom('lamb.organization_caps')
    .select(['currency', 'tokens', 'micros', 'user_tokens', 'user_micros'])
    .executeTakeFirst();
  const users = await tx
    .selectFrom('lamb.user_caps')
    .select(['user_id as userId', 'tokens', 'micros'])
    // Caps outlive a membership, and whoever is not a member cannot be named when they are replaced.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('auth.member as m')
          .select('m.id')
          .whereRef('m.userId', '=', 'user_id')
          .where('m.organizationId', '=', tx.organizationId),
      ),
    )
    .orderBy('user_id')
    .execute();
  return {
    currency: row?.currency ?? 'EUR',
    organization: { tokens: row?.tokens ?? null, micros: row?.micros ?? null },
    userDefault: { tokens: row?.user_tokens ?? null, micros: row?.user_micros ?? null },
    users,
  };
}

/**
 * Replaces all caps, and counts this month's use again: what was used while there were no caps was not counted. Returns
 * those of the users who are not members: they get none.
 */
export async function putBudgetCaps(tx: TenantTx, caps: BudgetCaps, now: Date): Promise<string[]> {
  const values = {
    currency: caps.currency,
    tokens: caps.organization.tokens,
    micros: caps.organization.micros,
    user_tokens: caps.userDefault.tokens,
    user_micros: caps.userDefault.micros,
  };
  await tx
    .insertInto('lamb.organization_caps')
    .values(values)
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(values))
    .execute();
  await tx.deleteFrom('lamb.user_caps').execute();
  const { rows } = await sql<{ user_id: string }>`
    insert into lamb.user_caps (user_id, tokens, micros)
    select given.* from unnest(
      ${caps.users.map((user) => user.userId)}::uuid[],
      ${caps.users.map((user) => user.tokens)}::bigint[],
      ${caps.users.map((user) => user.micros)}::bigint[]
    ) as given (user_id, tokens, micros)
    where exists (
      select from auth.member where "userId" = given.user_id and "organizationId" = ${tx.organizationId}::uuid
    )
    returning user_id`.execute(tx);
  await recountBudgets(tx, now);
  const taken = new Set(rows.map((row) => row.user_id));
  return caps.users.map((user) => user.userId).filter((userId) => !taken.has(userId.toLowerCase()));
}

/** Gives one user caps of their own, or with null those of everybody again. */
export async function setUserCaps(tx: TenantTx, userId: string, caps: Caps | null, now: Date): Promise<void> {
  await tx.deleteFrom('lamb.user_caps').where('user_id', '=', userId).execute();
  if (caps) {
    await tx
      .insertInto('lamb.user_caps')
      .values({ user_id: userId, tokens: caps.tokens, micros: caps.micros })
      .execute();
  }
  await recountBudgets(tx, now);
}

/** Whether anybody of the organisation is held to a cap. */
export async function hasBudgetCaps(tx: TenantTx): Promise<boolean> {
  const query = sql<{ found: boolean }>`
    select exists (
      select from lamb.organization_caps where coalesce(tokens, micros, user_tokens, user_micros) is not null
    ) or exists (select from lamb.user_caps where coalesce(tokens, micros) is not null) as found`;
  const { rows } = await query.execute(tx);
  return rows[0]?.found === true;
}

/** The caps that hold for one user: the organisation's and their own. */
export async function getCapsFor(tx: TenantTx, userId: string): Promise<{ organization: Caps; user: Caps }> {
  const [row] = await executePrepared(
    tx,
    tx
      .selectFrom(sql<{ one: number }>`(select 1 as one)`.as('always'))
      .leftJoin('lamb.organization_caps as o', (join) => join.onTrue())
      .leftJoin('lamb.user_caps as u', (join) => join.on('u.user_id', '=', userId))
      .select([
        'o.tokens',
        'o.micros',
        'o.user_tokens as defaultTokens',
        'o.user_micros as defaultMicros',
        'u.user_id as ownCaps',
        'u.tokens as userTokens',
        'u.micros as userMicros',
      ]),
  );
  const own = row?.ownCaps !== null && row !== undefined;
  return {
    organization: { tokens: row?.tokens ?? null, micros: row?.micros ?? null },
    user: own
      ? { tokens: row.userTokens, micros: row.userMicros }
      : { tokens: row?.defaultTokens ?? null, micros: row?.defaultMicros ?? null },
  };
}
