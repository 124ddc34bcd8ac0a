import type { RunEvent } from '@lamb/contract';
import { appendRunEvents, createChat, createRun, listChatMessages, withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callProbe, openRuns, textOf, type OpenRuns } from './__fixtures__/open-runs.ts';
import type { OwnedRun } from './index.ts';

let open: OpenRuns;

beforeAll(async () => {
  open = await openRuns();
});
afterAll(() => open.close());

const PATIENT = { timeout: 20_000 };
const LONG = 40_000;

async function startWaiting(): Promise<OwnedRun> {
  const run = await open.start({ approval: true });
  await expect.poll(() => open.statusOf(run)).toBe('waiting');
  return run;
}

/** Makes a run look as if another process executed it. */
async function assignTo(executor: string, run: OwnedRun): Promise<void> {
  await sql`update dbos.workflow_status set executor_id = ${executor} where workflow_uuid = ${run.id}`.execute(open.db);
}

async function executorOf(run: OwnedRun): Promise<string | undefined> {
  const found = sql<{ id: string }>`select executor_id as id from dbos.workflow_status where workflow_uuid = ${run.id}`;
  return (await found.execute(open.db)).rows[0]?.id;
}

test(
  'what a process leaves behind, silent or with a word, is taken over; what a living one does is not',
  async () => {
    open.script = ['x', 'y', 'z'].map((what) => [callProbe(what)]);
    const left = await startWaiting();
    const silent = await startWaiting();
    const alive = await startWaiting();
    await open.db
      .insertInto('ops.executors')
      .values([
        { id: 'left', seen_at: new Date(0) },
        { id: 'silent', seen_at: new Date(Date.now() - 60_000) },
        { id: 'alive', seen_at: new Date(Date.now() + 3_600_000) },
      ])
      .execute();
    await Promise.all([assignTo('left', left), assignTo('silent', silent), assignTo('alive', alive)]);
    await expect.poll(() => executorOf(left), PATIENT).not.toBe('left');
    await expect.poll(() => executorOf(silent), PATIENT).not.toBe('silent');
    expect(await executorOf(alive)).toBe('alive');
    const known = await open.db.selectFrom('ops.executors').select('id').execute();
    expect(known.map(({ id }) => id)).not.toContain('left');
    expect(known.map(({ id }) => id)).not.toContain('silent');

    // This process still had them in hand: it must see that it no longer does, and the effect must happen once.
    open.script = [[{ type: 'text', text: 'Taken over.' }]];
    await open.runs.decide(left, 'call-x', 'approved');
    const events = await open.readAll(left);
    expect(textOf(events)).toBe('Taken over.');
    expect(events.filter(({ type }) => type === 'call.finished')).toMatchObject([{ outcome: 'done' }]);
    expect(open.effects.filter((key) => key.startsWith(left.id))).toHaveLength(1);
    await expect.poll(() => open.statusOf(left)).toBe('finished');
    await Promise.all([open.runs.cancel(silent), open.runs.cancel(alive)]);
  },
  LONG,
);

test(
  'an effect that was begun and not recorded is not tried again, and is shown as unknown',
  async () => {
    open.script = [[callProbe('u')]];
    const run = await startWaiting();
    await withTenant(open.db, open.organizationId, (tx) =>
      tx.insertInto('lamb.run_effects').values({ run_id: run.id, step: 'call:call-u' }).execute(),
    );
    open.script = [[{ type: 'text', text: 'I do not know.' }]];
    await open.runs.decide(run, 'call-u', 'approved');
    const events = await open.readAll(run);
    expect(events.filter(({ type }) => type === 'call.finished')).toMatchObject([{ outcome: 'unknown' }]);
    expect(open.effects.filter((key) => key.startsWith(run.id))).toEqual([]);
  },
  LONG,
);

test(
  'a run whose end was told but not recorded is not told anew; its answer is the one that was told',
  async () => {
    const { db, organizationId, userId, assistantId } = open;
    const chat = await withTenant(db, organizationId, (tx) => createChat(tx, { userId, assistantId, title: 't' }));
    open.script = [[{ type: 'text', text: 'Let me see. ' }, callProbe('v')]];
    const run = await open.runs.start({
      organizationId,
      userId,
      assistantId,
      chatId: chat.id,
      said: { role: 'user', content: 'Why?' },
      input: { approval: true },
    });
    await expect.poll(() => open.statusOf(run)).toBe('waiting');
    const said: RunEvent[] = [];
    for await (const event of open.runs.read(run, 0, new AbortController().signal)) {
      said.push(event);
      if (event.type === 'call.approval_required') break;
    }
    const told = (offset: number, body: object) => ({
      runId: run.id,
      organizationId,
      startedOn: run.startedOn,
      epoch: 1,
      seq: said.length + offset,
      event: JSON.stringify({
        run_id: run.id,
        seq: said.length + offset,
        time: 0,
        step: 'model:2',
        attempt: 1,
        ...body,
      }),
    });
    await appendRunEvents(db, [
      told(1, { type: 'text.delta', text: 'Because.' }),
      told(2, { type: 'run.finished', finish_reason: 'stop' }),
    ]);
    await db
      .insertInto('ops.executors')
      .values({ id: 'told', seen_at: new Date(0) })
      .execute();
    await assignTo('told', run);
    await expect.poll(() => open.statusOf(run), PATIENT).toBe('finished');
    const events = await open.readAll(run);
    expect(events).toHaveLength(said.length + 2);
    const messages = await withTenant(db, organizationId, (tx) => listChatMessages(tx, chat.id));
    expect(messages.map(({ message }) => message)).toEqual([
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'Let me see. Because.' },
    ]);
  },
  LONG,
);

test(
  'a run that was made and not handed over is started, and one that the journal gave up ends',
  async () => {
    const { db, organizationId, userId, assistantId } = open;
    open.script = [[callProbe('w')]];
    const given = await startWaiting();
    const id = randomUUID();
    open.script = [[{ type: 'text', text: 'Late.' }]];
    await createRun(db, organizationId, { id, assistantId, userId, input: {}, startedOn: given.startedOn });
    await db
      .updateTable('ops.run_leases')
      .set({ created_at: sql<Date>`now() - interval '1 hour'` })
      .execute();
    await sql`update dbos.workflow_status set status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED', updated_at = 0
      where workflow_uuid = ${given.id}`.execute(db);
    await expect.poll(() => open.statusOf({ id }), PATIENT).toBe('finished');
    await expect.poll(() => open.statusOf(given), PATIENT).toBe('failed');
    expect((await open.readAll(given)).at(-1)).toMatchObject({ type: 'run.failed', code: 'internal_error' });
    const stray = await open.runs.find(organizationId, id);
    expect(stray && textOf(await open.readAll(stray))).toBe('Late.');
  },
  LONG,
);
