import { sql, type RawBuilder } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

/** The ledger by day; a trigger keeps it. */
export interface UsageDailyTable {
  organization_id: string;
  day: string;
  user_id: string;
  assistant_id: number;
  connector: string;
  model: string;
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cost_micros: number;
}

/** Days of UTC as YYYY-MM-DD, both included. */
export interface DayRange {
  from: string;
  to: string;
}

export interface UsageFilter extends DayRange {
  assistantId?: number | undefined;
  userId?: string | undefined;
  model?: string | undefined;
}

export interface DailySums {
  calls: number;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  costMicros: number;
}

export interface DailyUsage extends DailySums {
  day: string;
  /** What it was grouped by: an id, or connector/model; `other` for what did not fit, null where there was no assistant. */
  key: string | null;
  /** The name or the address of who or what the id stands for, where that still exists. */
  label: string | null;
}

const keys = {
  total: sql<string>`'total'`,
  assistant: sql<string | null>`nullif(d.assistant_id, 0)::text`,
  model: sql<string>`d.connector || '/' || d.model`,
  user: sql<string>`d.user_id::text`,
} satisfies Record<string, RawBuilder<string | null>>;

export type SeriesGrouping = keyof typeof keys;

/** What was used each day, in as many groups as asked for: those that used most, and the others together. */
export async function listDailyUsage(
  tx: TenantTx,
  filter: UsageFilter,
  { by, top }: { by: SeriesGrouping; top: number },
): Promise<DailyUsage[]> {
  const { rows } = await sql<DailyUsage>`
    with used as (
      select d.day, ${keys[by]} as key, sum(d.calls) as calls, sum(d.prompt_tokens) as prompt_tokens,
        sum(d.completion_tokens) as completion_tokens, sum(d.total_tokens) as total_tokens, sum(d.cost_micros) as cost_micros
      from lamb.usage_daily as d where ${matches(filter)} group by 1, 2
    ), ranked as (
      select key, row_number() over (order by sum(total_tokens) desc, key) <= ${top} as shown from used group by key
    ), grouped as (
      select used.day, case when ranked.shown then used.key else 'other' end as key, sum(calls) as calls,
        sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens,
        sum(total_tokens) as total_tokens, sum(cost_micros) as cost_micros
      from used join ranked on ranked.key is not distinct from used.key group by 1, 2
    )
    select to_char(g.day, 'YYYY-MM-DD') as day, g.key, ${labelOf(by)} as label, g.calls::bigint as calls,
      g.prompt_tokens::bigint as "promptTokens", g.completion_tokens::bigint as "completionTokens",
      g.total_tokens::bigint as "totalTokens", g.cost_micros::bigint as "costMicros"
    from grouped as g order by g.day, g.key`.execute(tx);
  return rows;
}

export interface UsageRow extends DailySums {
  day: string;
  assistantId: number | null;
  assistantName: string | null;
  userId: string;
  userEmail: string | null;
  connector: string;
  model: string;
}

/** The days of a range as they are, for an export; at most `limit` rows. */
export async function listUsageRows(tx: TenantTx, filter: UsageFilter, limit: number): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`
    select to_char(d.day, 'YYYY-MM-DD') as day, nullif(d.assistant_id, 0) as "assistantId", a.name as "assistantName",
      d.user_id as "userId", u.email as "userEmail", d.connector, d.model, d.calls, d.prompt_tokens as "promptTokens",
      d.completion_tokens as "completionTokens", d.total_tokens as "totalTokens", d.cost_micros as "costMicros"
    from lamb.usage_daily as d
    left join lamb.assistants as a on a.id = d.assistant_id
    left join auth."user" as u on u.id = d.user_id
    where ${matches(filter)}
    order by d.day, d.user_id, d.assistant_id, d.connector, d.model
    limit ${limit}`.execute(tx);
  return rows;
}

/** What each of some users used. */
export async function sumUsageOfUsers(
  tx: TenantTx,
  { from, to }: DayRange,
  userIds: readonly string[],
): Promise<Map<string, { tokens: number; micros: number }>> {
  const rows = await tx
    .selectFrom('lamb.usage_daily')
    .select('user_id')
    .select(sql<number>`sum(total_tokens)::bigint`.as('tokens'))
    .select(sql<number>`sum(cost_micros)::bigint`.as('micros'))
    .where(sql<boolean>`day between ${from}::date and ${to}::date`)
    .where(sql<boolean>`user_id = any(${userIds}::uuid[])`)
    .groupBy('user_id')
    .execute();
  return new Map(rows.map(({ user_id, tokens, micros }) => [user_id, { tokens, micros }]));
}

function matches({ from, to, assistantId, userId, model }: UsageFilter): RawBuilder<boolean> {
  const conditions = [
    sql<boolean>`d.day between ${from}::date and ${to}::date`,
    ...(assistantId === undefined ? [] : [sql<boolean>`d.assistant_id = ${assistantId}`]),
    ...(userId === undefined ? [] : [sql<boolean>`d.user_id = ${userId}::uuid`]),
    ...(model === undefined ? [] : [sql<boolean>`d.connector || '/' || d.model = ${model}`]),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

function labelOf(by: SeriesGrouping): RawBuilder<string | null> {
  switch (by) {
    case 'assistant':
      return sql`(select a.name from lamb.assistants as a where a.id = case when g.key ~ '^[0-9]+$' then g.key::bigint end)`;
    case 'user':
      return sql`(select u.email from auth."user" as u where u.id = case when g.key <> 'other' then g.key::uuid end)`;
    default:
      return sql`null::text`;
  }
}
