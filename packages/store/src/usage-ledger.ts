import { sql, type Generated, type RawBuilder } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Db } from './database.ts';
import { executePrepared } from './prepared-statements.ts';
import { withTenant, type TenantTx } from './with-tenant.ts';

export interface UsageLedgerTable {
  id: Generated<number>;
  organization_id: Generated<string>;
  run_id: string;
  user_id: string;
  assistant_id: number | null;
  connector: string;
  model: string;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  estimated: boolean;
  outcome: string;
  duration_ms: number;
  cost_micros: Generated<number>;
  images: Generated<number>;
  created_at: Generated<Date>;
  entry_id: Generated<string>;
}

/** What one model call used. */
export interface UsageEntry {
  /** Recorded twice under the same id, it is one entry. Default: a new one. */
  id?: string;
  runId: string;
  userId: string;
  assistantId: number | null;
  connector: string;
  model: string;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** How many images it made. Default: none. */
  images?: number;
  /** Counted by us because the provider did not say. */
  estimated: boolean;
  outcome: string;
  durationMs: number;
  /** In millionths of the organisation's currency. */
  costMicros: number;
  /** Default: when it is recorded. */
  createdAt?: Date;
}

export interface OrganizationUsage extends UsageEntry {
  organizationId: string;
}

export interface UnrecordedUsage {
  entries: OrganizationUsage[];
  error: unknown;
}

export interface UsageTotal {
  runs: number;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  costMicros: number;
}

/** What usage can be summed up by. */
export type UsageGrouping = 'day' | 'assistant' | 'model' | 'user';

export interface UsageGroup extends UsageTotal {
  /** A day as YYYY-MM-DD, an id, or connector/model; null where a call had no assistant. */
  key: string | null;
}

export interface UsageRange {
  from: Date;
  to: Date;
  assistantId?: number | undefined;
  userId?: string | undefined;
}

const entryColumns = [
  'run_id',
  'user_id',
  'assistant_id',
  'connector',
  'model',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'estimated',
  'outcome',
  'duration_ms',
  'cost_micros',
  'created_at',
  'entry_id',
  'images',
] as const;

/** Records one entry. False when it is there already. */
export async function recordUsage(tx: TenantTx, entry: UsageEntry): Promise<boolean> {
  return (await insertEntries(tx, [entry])) > 0;
}

/**
 * Records entries of many organisations, each organisation's in a transaction of its own: one that was removed meanwhile
 * does not take the others with it. Returns what could not be recorded, to try again or to report.
 */
export async function recordUsageBatch(db: Db, entries: readonly OrganizationUsage[]): Promise<UnrecordedUsage[]> {
  const unrecorded: UnrecordedUsage[] = [];
  for (const [organizationId, group] of Map.groupBy(entries, (entry) => entry.organizationId)) {
    try {
      await withTenant(db, organizationId, (tx) => insertEntries(tx, group));
    } catch (error) {
      unrecorded.push({ entries: group, error });
    }
  }
  return unrecorded;
}

/** What the organisation used from one moment up to another, of one assistant or user where that is given. */
export async function sumUsage(tx: TenantTx, range: UsageRange): Promise<UsageTotal> {
  return await selectTotals(tx, range).executeTakeFirstOrThrow();
}

const groupKeys = {
  day: sql<string>`to_char(created_at at time zone 'utc', 'YYYY-MM-DD')`,
  assistant: sql<string | null>`assistant_id::text`,
  model: sql<string>`connector || '/' || model`,
  user: sql<string>`user_id::text`,
};

const MAX_GROUPS = 1000;

/** The same, in groups: days in their order, otherwise the ones that used most. */
export async function sumUsageBy(tx: TenantTx, range: UsageRange, by: UsageGrouping): Promise<UsageGroup[]> {
  const key: RawBuilder<string | null> = groupKeys[by];
  return await selectTotals(tx, range)
    .select(key.as('key'))
    .groupBy(key)
    .$if(by !== 'day', (query) => query.orderBy('totalTokens', 'desc'))
    .orderBy('key')
    .limit(MAX_GROUPS)
    .execute();
}

function selectTotals(tx: TenantTx, { from, to, assistantId, userId }: UsageRange) {
  let query = tx
    .selectFrom('lamb.usage_ledger')
    .select([
      sql<number>`count(distinct run_id)`.as('runs'),
      sql<number>`coalesce(sum(prompt_tokens), 0)::bigint`.as('promptTokens'),
      sql<number>`coalesce(sum(completion_tokens), 0)::bigint`.as('completionTokens'),
      sql<number>`coalesce(sum(total_tokens), 0)::bigint`.as('totalTokens'),
      sql<number>`coalesce(sum(cost_micros), 0)::bigint`.as('costMicros'),
    ])
    .where('created_at', '>=', from)
    .where('created_at', '<', to);
  if (assistantId !== undefined) query = query.where('assistant_id', '=', assistantId);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  return query;
}

async function insertEntries(tx: TenantTx, entries: readonly UsageEntry[]): Promise<number> {
  const now = new Date();
  const column = <Value>(read: (entry: UsageEntry) => Value): Value[] => entries.map(read);
  // Columns as arrays: one prepared statement, however many rows there are.
  const values = sql<UsageLedgerTable>`(
    select * from unnest(
      ${column((entry) => entry.runId)}::uuid[],
      ${column((entry) => entry.userId)}::uuid[],
      ${column((entry) => entry.assistantId)}::bigint[],
      ${column((entry) => entry.connector)}::text[],
      ${column((entry) => entry.model)}::text[],
      ${column((entry) => entry.promptTokens)}::integer[],
      ${column((entry) => entry.completionTokens)}::integer[],
      ${column((entry) => entry.totalTokens)}::integer[],
      ${column((entry) => entry.estimated)}::boolean[],
      ${column((entry) => entry.outcome)}::text[],
      ${column((entry) => entry.durationMs)}::integer[],
      ${column((entry) => entry.costMicros)}::bigint[],
      ${column((entry) => entry.createdAt ?? now)}::timestamptz[],
      ${column((entry) => entry.id ?? randomUUID())}::uuid[],
      ${column((entry) => entry.images ?? 0)}::integer[]
    )
  )`;
  const insert = tx.insertInto('lamb.usage_ledger').columns(entryColumns).expression(values);
  const added = await executePrepared(
    tx,
    insert.onConflict((conflict) => conflict.column('entry_id').doNothing()).returning('entry_id'),
  );
  return added.length;
}
