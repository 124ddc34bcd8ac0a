import { sql, type Generated } from 'kysely';
import { getCapsFor, type Caps } from './budget-caps.ts';
import {
  ensureCounter,
  lockCounters,
  nothing,
  readCounter,
  settleInBudget,
  takeFromBudget,
  type Spend,
} from './budget-counters.ts';
import { findBudgetMonth, type BudgetMonth } from './budget-month.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface BudgetReservationTable {
  id: Generated<string>;
  organization_id: Generated<string>;
  run_id: string;
  step: string;
  user_id: string;
  month: string;
  tokens: number;
  micros: number;
  held: Generated<boolean>;
  expires_at: Date;
}

/** What is about to be used, by whom and for what. */
export interface NewReservation {
  readonly runId: string;
  /** Names the call within its run. A second reservation under the same name takes the place of the first. */
  readonly step: string;
  readonly userId: string;
  readonly estimate: Spend;
  /** After this time nobody will settle it any more, and it holds nothing. */
  readonly holdMs: number;
  readonly now: Date;
}

export type BudgetCap = 'organization_tokens' | 'organization_cost' | 'user_tokens' | 'user_cost';

export interface BudgetRefusal {
  readonly cap: BudgetCap;
  readonly limit: number;
  /** Of the limit, what is used or set aside already. */
  readonly taken: number;
  readonly until: Date;
}

/**
 * Sets budget aside for one model call, of the organisation's and of the user's, or says which cap does not allow it.
 * What a crashed process had set aside is released as soon as it stands in somebody's way. What is held already for the
 * same call stays as it was estimated then.
 */
export async function reserveBudget(
  tx: TenantTx,
  { runId, step, userId, estimate, holdMs, now }: NewReservation,
): Promise<{ id: string; reserved: Spend } | { refusal: BudgetRefusal }> {
  const month = findBudgetMonth(now);
  const caps = await getCapsFor(tx, userId);
  const [row] = await executePrepared(
    tx,
    tx
      .insertInto('lamb.budget_reservations')
      .values({
        run_id: runId,
        step,
        user_id: userId,
        month: month.day,
        ...estimate,
        expires_at: new Date(now.getTime() + holdMs),
      })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'run_id', 'step']).doUpdateSet(({ ref }) => ({
          // Whoever held it was superseded: what they settle now must not take it from who is at it.
          id: ref('excluded.id'),
          expires_at: ref('excluded.expires_at'),
        })),
      )
      // A row that this statement made has never been locked or changed.
      .returning(['id', 'tokens', 'micros', 'held', sql<boolean>`xmax = 0`.as('isNew')]),
  );
  if (!row) throw new Error('A reservation was neither made nor found.');
  const { id, tokens, micros, held, isNew } = row;
  if (held && !isNew) return { id, reserved: { tokens, micros } };

  const ofOrganization = await take(tx, 'organization', tx.organizationId, month, estimate, caps.organization, now);
  if (ofOrganization) return await giveUp(tx, id, ofOrganization);
  const ofUser = await take(tx, 'user', userId, month, estimate, caps.user, now);
  if (ofUser) {
    await settleInBudget(tx, tx.organizationId, month.day, estimate, nothing);
    return await giveUp(tx, id, ofUser);
  }
  if (!isNew) {
    const again = { held: true, month: month.day, ...estimate };
    await tx.updateTable('lamb.budget_reservations').set(again).where('id', '=', id).execute();
  }
  return { id, reserved: estimate };
}

/** Counts what a call used instead of what was set aside for it. False when nothing is, any more: it was settled, or somebody else has taken it over. */
export async function settleBudget(tx: TenantTx, reservationId: string, used: Spend): Promise<boolean> {
  const [row] = await executePrepared(
    tx,
    tx
      .deleteFrom('lamb.budget_reservations')
      .where('id', '=', reservationId)
      .returning(['user_id', sql<string>`month::text`.as('month'), 'tokens', 'micros', 'held']),
  );
  if (!row) return false;
  const reserved = row.held ? { tokens: row.tokens, micros: row.micros } : nothing;
  await settleInBudget(tx, tx.organizationId, row.month, reserved, used);
  await settleInBudget(tx, row.user_id, row.month, reserved, used);
  return true;
}

/** Counts what was used and not set aside. */
export async function countSpend(tx: TenantTx, userId: string, used: Spend, now: Date): Promise<void> {
  const { day } = findBudgetMonth(now);
  await settleInBudget(tx, tx.organizationId, day, nothing, used);
  await settleInBudget(tx, userId, day, nothing, used);
}

async function take(
  tx: TenantTx,
  whose: 'organization' | 'user',
  subjectId: string,
  month: BudgetMonth,
  estimate: Spend,
  caps: Caps,
  now: Date,
): Promise<BudgetRefusal | undefined> {
  if (await takeFromBudget(tx, subjectId, month.day, estimate, caps)) return undefined;
  await ensureCounter(tx, subjectId, month);
  await releaseExpired(tx, month, now);
  if (await takeFromBudget(tx, subjectId, month.day, estimate, caps)) return undefined;
  const { reserved, settled } = await readCounter(tx, subjectId, month);
  const { until } = month;
  const tokens = reserved.tokens + settled.tokens;
  if (caps.tokens !== null && tokens + estimate.tokens > caps.tokens) {
    return { cap: `${whose}_tokens`, limit: caps.tokens, taken: tokens, until };
  }
  return { cap: `${whose}_cost`, limit: caps.micros ?? 0, taken: reserved.micros + settled.micros, until };
}

async function giveUp(tx: TenantTx, id: string, refusal: BudgetRefusal): Promise<{ refusal: BudgetRefusal }> {
  await tx.deleteFrom('lamb.budget_reservations').where('id', '=', id).execute();
  return { refusal };
}

const FORGET_AFTER_MS = 86_400_000;

async function releaseExpired(tx: TenantTx, month: BudgetMonth, now: Date): Promise<void> {
  await lockCounters(tx, month);
  // What is locked is being settled at this moment; whoever does that waits for our lock on the counters.
  await sql`
    with expired as (
      select id from lamb.budget_reservations
      where held and expires_at < ${now} and month = ${month.day}::date
      for update skip locked
    ), released as (
      update lamb.budget_reservations as reservation set held = false
      from expired where reservation.id = expired.id
      returning user_id, tokens, micros
    ), sums as (
      select user_id as subject_id, coalesce(sum(tokens), 0) as tokens, coalesce(sum(micros), 0) as micros
      from released group by rollup (user_id)
    )
    update lamb.budget_counters as counter
    set reserved_tokens = reserved_tokens - sums.tokens, reserved_micros = reserved_micros - sums.micros
    from sums
    where counter.month = ${month.day}::date and counter.subject_id = coalesce(sums.subject_id, ${tx.organizationId}::uuid)
  `.execute(tx);
  await sql`
    delete from lamb.budget_reservations
    where id in (
      select id from lamb.budget_reservations
      where (not held or month < ${month.day}::date) and expires_at < ${new Date(now.getTime() - FORGET_AFTER_MS)}
      for update skip locked
    )`.execute(tx);
}
