import { sql, type ColumnType } from 'kysely';
import type { Db, DbOrTx } from './database.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface RunEventTable {
  started_on: ColumnType<string, string, never>;
  run_id: string;
  seq: number;
  organization_id: string;
  event: ColumnType<unknown, string, never>;
}

/** An event on its way into the log. */
export interface NewRunEvent {
  runId: string;
  organizationId: string;
  startedOn: string;
  /** Which attempt at the run wrote it; an attempt that was superseded writes nothing. */
  epoch: number;
  seq: number;
  /** JSON. */
  event: string;
}

/** Appends the events of many runs in one statement. Returns the ids of the runs whose lease somebody else has taken. */
export async function appendRunEvents(db: DbOrTx, events: readonly NewRunEvent[]): Promise<Set<string>> {
  const column = <Key extends keyof NewRunEvent>(key: Key) => events.map((event) => event[key]);
  const query = sql<{ run_id: string }>`
    with given as (
      select * from unnest(
        ${column('startedOn')}::date[], ${column('runId')}::uuid[], ${column('seq')}::integer[],
        ${column('organizationId')}::uuid[], ${column('event')}::jsonb[], ${column('epoch')}::integer[]
      ) as t (started_on, run_id, seq, organization_id, event, epoch)
    ), held as (
      select l.run_id, l.epoch from ops.run_leases l
      where l.run_id = any(${[...new Set(column('runId'))]}::uuid[])
      for share
    ), written as (
      insert into lamb.run_events (started_on, run_id, seq, organization_id, event)
      select g.started_on, g.run_id, g.seq, g.organization_id, g.event
      from given g join held h on h.run_id = g.run_id and h.epoch = g.epoch
      on conflict do nothing
    ), told as (
      -- As few notifications as hold all ids: one is at most 8,000 bytes long.
      select pg_notify('lamb_run_events', string_agg(run_id::text, ','))
      from (select run_id, (row_number() over ()) / 200 as part from (select distinct run_id from given) as runs) as parts
      group by part
    )
    select distinct g.run_id from given g
    left join held h on h.run_id = g.run_id and h.epoch = g.epoch
    where h.run_id is null and (select count(*) from told) > 0`;
  const refused = await executePrepared(db, { compile: () => query.compile(db) });
  return new Set(refused.map(({ run_id }) => run_id));
}

/** How many events are read at once. */
export const RUN_EVENT_PAGE = 2000;

/** The events of a run after a number, in order. */
export async function listRunEvents(
  tx: TenantTx,
  run: { id: string; startedOn: string },
  after: number,
): Promise<unknown[]> {
  const rows = await executePrepared(
    tx,
    tx
      .selectFrom('lamb.run_events')
      .select('event')
      .where('started_on', '=', run.startedOn)
      .where('run_id', '=', run.id)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(sql.lit(RUN_EVENT_PAGE)),
  );
  return rows.map(({ event }) => event);
}

/** What was told about one call of a run's model, in order. */
export async function listCallEvents(
  tx: TenantTx,
  run: { id: string; startedOn: string },
  callId: string,
): Promise<unknown[]> {
  const rows = await tx
    .selectFrom('lamb.run_events')
    .select('event')
    .where('started_on', '=', run.startedOn)
    .where('run_id', '=', run.id)
    .where(sql`event ->> 'call_id'`, '=', callId)
    // Calls of an assistant that was called as a tool have ids of their own.
    .where(sql<boolean>`not event ? 'parent_call_id'`)
    .orderBy('seq')
    .execute();
  return rows.map(({ event }) => event);
}

/** What a run had said before: the number of its last event, the attempts at each of its steps, and whether it said how it ends. */
export async function summarizeRunEvents(
  tx: TenantTx,
  run: { id: string; startedOn: string },
): Promise<{ lastSeq: number; attempts: Map<string, number>; hasEnded: boolean }> {
  const rows = await tx
    .selectFrom('lamb.run_events')
    .select([
      sql<string>`event ->> 'step'`.as('step'),
      sql<number>`max((event ->> 'attempt')::integer)`.as('attempt'),
      sql<number>`max(seq)`.as('lastSeq'),
      // What an assistant that was called as a tool says about its own end is not meant.
      sql<boolean>`bool_or(event ->> 'type' in ('run.finished', 'run.failed', 'run.cancelled')
        and not event ? 'parent_call_id')`.as('hasEnded'),
    ])
    .where('started_on', '=', run.startedOn)
    .where('run_id', '=', run.id)
    .groupBy(sql`event ->> 'step'`)
    .execute();
  return {
    lastSeq: Math.max(0, ...rows.map(({ lastSeq }) => lastSeq)),
    attempts: new Map(rows.map(({ step, attempt }) => [step, attempt])),
    hasEnded: rows.some(({ hasEnded }) => hasEnded),
  };
}

/** Makes the partitions for a day and the next one, and drops those that are older than the retention. */
export async function keepRunEventPartitions(db: Db, today: string, retentionDays: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // One process at a time, or two would drop the same partition.
    await sql`select pg_advisory_xact_lock(hashtext('lamb.run_events partitions'))`.execute(tx);
    await sql`select lamb.ensure_run_event_partition(day::date), lamb.ensure_run_event_partition(day::date + 1)
      from (values (${today}::date)) as t (day)`.execute(tx);
    await sql`select lamb.drop_run_event_partitions(${today}::date - ${retentionDays}::integer)`.execute(tx);
  });
}
