import { sql, type Generated } from 'kysely';
import type { Caps } from './budget-caps.ts';
import { findBudgetMonth, type BudgetMonth } from './budget-month.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface BudgetCounterTable {
  organization_id: Generated<string>;
  month: string;
  subject_id: string;
  reserved_tokens: Generated<number>;
  reserved_micros: Generated<number>;
  settled_tokens: Generated<number>;
  settled_micros: Generated<number>;
}

/** An amount of tokens, and what they cost in millionths of the organisation's currency. */
export interface Spend {
  readonly tokens: number;
  readonly micros: number;
}

export const nothing: Spend = { tokens: 0, micros: 0 };

/** Sets an amount aside unless that would exceed a cap. One statement, so that nobody comes between the look and the taking. */
export async function takeFromBudget(
  tx: TenantTx,
  subjectId: string,
  month: string,
  { tokens, micros }: Spend,
  caps: Caps,
): Promise<boolean> {
  const taken = await executePrepared(
    tx,
    tx
      .updateTable('lamb.budget_counters')
      .set({
        reserved_tokens: sql`reserved_tokens + ${tokens}::bigint`,
        reserved_micros: sql`reserved_micros + ${micros}::bigint`,
      })
      .where('month', '=', month)
      .where('subject_id', '=', subjectId)
      .where(
        sql<boolean>`coalesce(reserved_tokens + settled_tokens + ${tokens}::bigint <= ${caps.tokens}::bigint, true)`,
      )
      .where(
        sql<boolean>`coalesce(reserved_micros + settled_micros + ${micros}::bigint <= ${caps.micros}::bigint, true)`,
      )
      .returning('subject_id'),
  );
  return taken.length > 0;
}

/** Gives back what was set aside, and counts what was used instead. */
export async function settleInBudget(
  tx: TenantTx,
  subjectId: string,
  month: string,
  reserved: Spend,
  used: Spend,
): Promise<void> {
  await executePrepared(
    tx,
    tx
      .updateTable('lamb.budget_counters')
      .set({
        reserved_tokens: sql`reserved_tokens - ${reserved.tokens}::bigint`,
        reserved_micros: sql`reserved_micros - ${reserved.micros}::bigint`,
        settled_tokens: sql`settled_tokens + ${used.tokens}::bigint`,
        settled_micros: sql`settled_micros + ${used.micros}::bigint`,
      })
      .where('month', '=', month)
      .where('subject_id', '=', subjectId),
  );
}

/** Makes a counter where there is none yet; it starts with what the ledger says. */
export async function ensureCounter(tx: TenantTx, subjectId: string, month: BudgetMonth): Promise<void> {
  const ofUser = subjectId === tx.organizationId ? sql`true` : sql`user_id = ${subjectId}::uuid`;
  await sql`
    insert into lamb.budget_counters (month, subject_id, settled_tokens, settled_micros)
    select ${month.day}::date, ${subjectId}::uuid, coalesce(sum(total_tokens), 0), coalesce(sum(cost_micros), 0)
    from lamb.usage_ledger
    where created_at >= ${month.from} and created_at < ${month.until} and ${ofUser}
    on conflict do nothing`.execute(tx);
}

/** What is set aside and what is used. */
export async function readCounter(
  tx: TenantTx,
  subjectId: string,
  month: BudgetMonth,
): Promise<{ reserved: Spend; settled: Spend }> {
  const row = await tx
    .selectFrom('lamb.budget_counters')
    .select(['reserved_tokens', 'reserved_micros', 'settled_tokens', 'settled_micros'])
    .where('month', '=', month.day)
    .where('subject_id', '=', subjectId)
    .executeTakeFirst();
  if (!row) return { reserved: nothing, settled: nothing };
  return {
    reserved: { tokens: row.reserved_tokens, micros: row.reserved_micros },
    settled: { tokens: row.settled_tokens, micros: row.settled_micros },
  };
}

/** Takes the lock that orders all other locks on an organisation's counters. */
export async function lockCounters(tx: TenantTx, month: BudgetMonth): Promise<void> {
  await tx
    .selectFrom('lamb.budget_counters')
    .select('subject_id')
    .where('month', '=', month.day)
    .where('subject_id', '=', tx.organizationId)
    .forUpdate()
    .execute();
}

/** Sets the month's counters to what the ledger says. */
export async function recountBudgets(tx: TenantTx, now: Date): Promise<void> {
  const month = findBudgetMonth(now);
  await ensureCounter(tx, tx.organizationId, month);
  await lockCounters(tx, month);
  await sql`
    with used as (
      select user_id as subject_id, sum(total_tokens) as tokens, sum(cost_micros) as micros
      from lamb.usage_ledger
      where created_at >= ${month.from} and created_at < ${month.until}
      group by rollup (user_id)
    )
    update lamb.budget_counters as counter
    set settled_tokens = coalesce(used.tokens, 0), settled_micros = coalesce(used.micros, 0)
    from used
    where counter.month = ${month.day}::date and counter.subject_id = coalesce(used.subject_id, ${tx.organizationId}::uuid)
  `.execute(tx);
}
