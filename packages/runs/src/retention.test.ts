import { appendRunEvents, createRun, endRun, keepRunEventPartitions, listRunEvents, withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openRuns, textOf, type OpenRuns } from './__fixtures__/open-runs.ts';
import { forgetJournal } from './forget-journal.ts';
import { startHousekeeping } from './start-housekeeping.ts';

let open: OpenRuns;

beforeAll(async () => {
  open = await openRuns();
});
afterAll(() => open.close());
afterEach(() => {
  vi.useRealTimers();
});

async function listPartitions(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'lamb.run_events'::regclass order by 1`.execute(open.db);
  return rows.map(({ name }) => name.replace('lamb.run_events_', ''));
}

test('events are kept for as many days as wanted, and go a day at a time', async () => {
  const { db, organizationId, userId, assistantId } = open;
  const today = await listPartitions();
  await keepRunEventPartitions(db, '2040-03-01', 100_000);
  const run = { id: randomUUID(), startedOn: '2040-03-01' };
  await createRun(db, organizationId, { ...run, assistantId, userId, input: {} });
  const event = { runId: run.id, organizationId, startedOn: run.startedOn, epoch: 1, seq: 1, event: '{"seq":1}' };
  await appendRunEvents(db, [event]);
  await endRun(db, organizationId, { id: run.id, epoch: 1, status: 'finished' });
  await keepRunEventPartitions(db, '2040-03-05', 100_000);
  expect(await listPartitions()).toEqual([...today, '20400301', '20400302', '20400305', '20400306']);

  const read = () => withTenant(db, organizationId, (tx) => listRunEvents(tx, run, 0));
  await keepRunEventPartitions(db, '2040-03-05', 4);
  expect(await read()).toEqual([{ seq: 1 }]);
  await keepRunEventPartitions(db, '2040-03-05', 3);
  expect(await listPartitions()).toEqual(['20400302', '20400305', '20400306']);
  expect(await read()).toEqual([]);
  // Twice is as good as once, also at the same time.
  await Promise.all([1, 2, 3].map(() => keepRunEventPartitions(db, '2040-03-06', 3)));
  expect(await listPartitions()).toEqual(['20400305', '20400306', '20400307']);
  await keepRunEventPartitions(db, new Date().toISOString().slice(0, 10), 30);
});

test('the journal forgets what has ended long ago, with all it had recorded, and nothing else', async () => {
  open.script = [[{ type: 'text', text: 'Old.' }], [{ type: 'text', text: 'New.' }]];
  const old = await open.start();
  await open.readAll(old);
  const recent = await open.start();
  await open.readAll(recent);
  const countOf = async (id: string) => {
    const { rows } = await sql<{ workflows: number; steps: number }>`
      select (select count(*) from dbos.workflow_status where workflow_uuid = ${id} and status = 'SUCCESS')::integer as workflows,
        (select count(*) from dbos.operation_outputs where workflow_uuid = ${id})::integer as steps`.execute(open.db);
    return rows[0];
  };
  for (const { id } of [old, recent]) await expect.poll(() => countOf(id)).toEqual({ workflows: 1, steps: 2 });
  await sql`update dbos.workflow_status set updated_at = 1000 where workflow_uuid = ${old.id}`.execute(open.db);
  await forgetJournal(open.db, new Date(5000));
  expect(await countOf(old.id)).toEqual({ workflows: 0, steps: 0 });
  expect(await countOf(recent.id)).toEqual({ workflows: 1, steps: 2 });
  expect(textOf(await open.readAll(old))).toBe('Old.');
  // Nobody is left to hear it, and nobody is told that there is.
  expect(await open.runs.decide(old, 'call', 'approved')).toBeUndefined();
  await open.runs.cancel(old);
  expect(await open.statusOf(old)).toBe('finished');
});

test('a minute after its start, and every hour, a process removes what is old: the journal of a run, then its events and itself', async () => {
  const { db, organizationId } = open;
  open.script = [[{ type: 'text', text: 'Old.' }]];
  const { id } = await open.start();
  const countOf = async () => {
    const { rows } = await withTenant(db, organizationId, (tx) =>
      sql<{ counts: number[] }>`select array[
        (select count(*) from lamb.runs where id = ${id} and status = 'finished')::integer,
        (select count(*) from lamb.run_events where run_id = ${id})::integer,
        (select count(*) from dbos.workflow_status where workflow_uuid = ${id} and status = 'SUCCESS')::integer
      ] as counts`.execute(tx),
    );
    return rows[0]?.counts;
  };
  await expect.poll(countOf).toEqual([1, expect.any(Number), 1]);
  const [, events = 0] = (await countOf()) ?? [];
  expect(events).toBeGreaterThan(0);

  const errors: unknown[] = [];
  /** Lets one of its timers run out, days from now. The others stay real: connections need theirs. */
  const keepHouse = async (inDays: number, timer: 'setTimeout' | 'setInterval', afterMs: number) => {
    vi.useFakeTimers({ toFake: [timer, 'Date'], now: Date.now() + inDays * 86_400_000 });
    const stop = await startHousekeeping(db, 30, (error) => errors.push(error));
    vi.advanceTimersByTime(afterMs);
    stop();
    vi.useRealTimers();
  };
  await keepHouse(2, 'setInterval', 3_600_000);
  await expect.poll(countOf).toEqual([1, events, 0]);
  await keepHouse(40, 'setTimeout', 60_000);
  await expect.poll(countOf).toEqual([0, 0, 0]);
  expect(errors).toEqual([]);
});
