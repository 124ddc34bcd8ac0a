import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistant } from './assistants.ts';
import { createChat, deleteChat, listChatMessages } from './chats.ts';
import { forgetRuns } from './forget-runs.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import { appendRunEvents, keepRunEventPartitions } from './run-events.ts';
import { putRunTrace } from './run-traces.ts';
import { createRun, endRun, setRunStatus, type RunStatus } from './runs.ts';

let store: TestStore;
let tenant: TestTenant;
let assistantId: number;
const OLD = '2026-01-10';
const NEW = '2026-03-01';

beforeAll(async () => {
  store = await openTestStore();
  tenant = await store.addTenant();
  const assistant = { ownerId: tenant.teacherId, name: 'A', type: 'classic' as const, metadata: '{}' };
  ({ id: assistantId } = await tenant.run((tx) =>
    createAssistant(tx, { ...assistant, systemPrompt: '', promptTemplate: '' }),
  ));
  for (const day of [OLD, NEW]) await keepRunEventPartitions(store.db, day, 100_000);
});
afterAll(() => store.close());

/** A run with one event and one trace, and its question in its chat. */
async function addRun(startedOn: string, status: RunStatus, chatId?: string): Promise<string> {
  const { db } = store;
  const { organizationId, teacherId: userId } = tenant;
  const id = randomUUID();
  const input = { request: { messages: [{ role: 'user', content: `secret of ${id}` }] } };
  const said = { role: 'user', content: 'Hello' };
  await createRun(db, organizationId, {
    id,
    assistantId,
    userId,
    startedOn,
    input,
    ...(chatId === undefined ? {} : { chatId, said }),
  });
  await appendRunEvents(db, [{ runId: id, organizationId, startedOn, epoch: 1, seq: 1, event: '{"seq":1}' }]);
  await tenant.run((tx) => putRunTrace(tx, { runId: id, step: 'context', assistantId, userId, trace: {} }));
  if (status === 'waiting') await tenant.run((tx) => setRunStatus(tx, id, 'waiting'));
  else if (status !== 'running') {
    await endRun(db, organizationId, { id, epoch: 1, status });
  }
  return id;
}

/** How much there is of a run: its row, its events, its traces. */
async function countOf(id: string): Promise<number[]> {
  const { rows } = await tenant.run((tx) =>
    sql<{ counts: number[] }>`select array[
      (select count(*) from lamb.runs where id = ${id})::integer,
      (select count(*) from lamb.run_events where run_id = ${id})::integer,
      (select count(*) from lamb.run_traces where run_id = ${id})::integer] as counts`.execute(tx),
  );
  return rows[0]?.counts ?? [];
}

const ALL = [1, 1, 1];
const NOTHING = [0, 0, 0];

test('what has ended is forgotten after its time, in batches; what is new or under way stays', async () => {
  const many = Array.from({ length: 250 }, () => addRun(OLD, 'finished'));
  const ended = [...(await Promise.all(many)), await addRun(OLD, 'failed'), await addRun(OLD, 'cancelled')];
  const waiting = await addRun(OLD, 'waiting');
  const running = await addRun(OLD, 'running');
  const recent = await addRun(NEW, 'finished');
  await Promise.all([forgetRuns(store.db, '2026-02-01'), forgetRuns(store.db, '2026-02-01')]);
  for (const id of [ended[0], ended[125], ended.at(-1)]) expect(await countOf(id ?? '')).toEqual(NOTHING);
  const { rows } = await tenant.run((tx) => sql`select from lamb.runs where started_on = ${OLD}::date`.execute(tx));
  expect(rows).toHaveLength(2);
  for (const id of [waiting, running, recent]) expect(await countOf(id)).toEqual(ALL);
});

test('traces of answers that were given at once go too', async () => {
  const runId = randomUUID();
  const { teacherId: userId } = tenant;
  await tenant.run((tx) => putRunTrace(tx, { runId, step: 'context', assistantId, userId, trace: {} }));
  await forgetRuns(store.db, '2026-02-01');
  expect(await countOf(runId)).toEqual([0, 0, 1]);
  await tenant.run((tx) =>
    sql`update lamb.run_traces set created_at = '2026-01-31' where run_id = ${runId}`.execute(tx),
  );
  await forgetRuns(store.db, '2026-02-01');
  expect(await countOf(runId)).toEqual(NOTHING);
});

test('with a chat goes all that was said in it; an answer that is under way goes when it has ended', async () => {
  const { teacherId: userId, organizationId } = tenant;
  const chat = await tenant.run((tx) => createChat(tx, { userId, assistantId, title: '' }));
  const other = await tenant.run((tx) => createChat(tx, { userId, assistantId, title: '' }));
  const mine = await addRun(NEW, 'finished', chat.id);
  const underWay = await addRun(NEW, 'running', chat.id);
  const elsewhere = await addRun(NEW, 'finished', other.id);
  await tenant.run((tx) => deleteChat(tx, chat.id));
  expect(await countOf(mine)).toEqual(NOTHING);
  expect(await countOf(underWay)).toEqual(ALL);
  expect(await countOf(elsewhere)).toEqual(ALL);
  const message = { role: 'assistant', content: 'Late.' };
  const answer = { chatId: chat.id, message };
  expect(await endRun(store.db, organizationId, { id: underWay, epoch: 1, status: 'finished', answer })).toBe('ended');
  expect(await countOf(underWay)).toEqual(NOTHING);
  expect(await countOf(elsewhere)).toEqual(ALL);
  expect(await tenant.run((tx) => listChatMessages(tx, other.id))).toHaveLength(1);
});

test('the events of what waits are not dropped, however old', async () => {
  const waiting = await addRun(OLD, 'waiting');
  await sql`update ops.run_leases set created_at = ${OLD} where run_id = ${waiting}`.execute(store.db);
  await keepRunEventPartitions(store.db, NEW, 1);
  expect(await countOf(waiting)).toEqual(ALL);
});
