import type { RunEvent } from '@lamb/contract';
import {
  createAssistant,
  createRun,
  keepRunEventPartitions,
  listRunEvents,
  migrate,
  openDatabase,
  takeRunLease,
  withTenant,
  type Db,
} from '@lamb/store';
import { createTestDatabase, type TestDatabase } from '@lamb/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEventLog, LeaseLost, type EventLog, type RunFile } from './create-event-log.ts';
import { readRunEvents } from './read-run-events.ts';

let database: TestDatabase;
let db: Db;
let log: EventLog;
let organizationId: string;
let userId: string;
let assistantId: number;
const TODAY = '2031-05-10';

beforeAll(async () => {
  database = await createTestDatabase({
    prepare: async (ownerUrl) => {
      await migrate(ownerUrl);
    },
  });
  db = openDatabase(database.appUrl);
  const organization = db.insertInto('auth.organization').values({ name: 'o', slug: 'o' }).returning('id');
  organizationId = (await organization.executeTakeFirstOrThrow()).id;
  const user = db
    .insertInto('auth.user')
    .values({ email: 'u@o.test', name: 'u', role: null, banned: null, banExpires: null, lmsUserId: null })
    .returning('id');
  userId = (await user.executeTakeFirstOrThrow()).id;
  assistantId = (await withTenant(db, organizationId, (tx) => createAssistant(tx, { ownerId: userId, name: 'a' }))).id;
  await keepRunEventPartitions(db, TODAY, 30);
  log = createEventLog(db);
});
afterAll(async () => {
  await log.close();
  await db.destroy();
  await database.drop();
});

async function makeFile(startedOn = TODAY): Promise<RunFile & { refusals: Error[] }> {
  const runId = randomUUID();
  await createRun(db, organizationId, { id: runId, assistantId, userId, input: {}, startedOn });
  const refusals: Error[] = [];
  return { runId, organizationId, startedOn, epoch: 1, refusals, onRefused: (reason) => refusals.push(reason) };
}

function say(file: RunFile, seq: number, text: string): RunEvent {
  const event = { run_id: file.runId, seq, time: 0, step: 'model:1', attempt: 1, type: 'text.delta', text } as const;
  log.append(file, event);
  return event;
}

const readLog = (file: RunFile) =>
  withTenant(db, organizationId, (tx) => listRunEvents(tx, { id: file.runId, startedOn: file.startedOn }, 0));

test('what one run says cannot keep the others from being heard, now or later', async () => {
  const [good, homeless] = [await makeFile(), await makeFile('1999-01-01')];
  const first = say(good, 1, 'a');
  say(homeless, 1, 'nowhere to put it');
  await expect(log.committed(homeless)).rejects.toThrow('no partition');
  await log.committed(good);
  const second = say(good, 2, 'b');
  await log.committed(good);
  expect(await readLog(good)).toEqual([first, second]);
  expect([good.refusals.length, homeless.refusals.length]).toEqual([0, 1]);
});

test('a model may say what the database does not store', async () => {
  const file = await makeFile();
  say(file, 1, 'NUL \0, half \ud83d of one');
  say(file, 2, 'a whole \u{1F600}, an escape \\u0000');
  await log.committed(file);
  expect(await readLog(file)).toMatchObject([
    { text: 'NUL \uFFFD, half \uFFFD of one' },
    { text: 'a whole \u{1F600}, an escape \\u0000' },
  ]);
});

test('whoever has lost the run writes nothing more, and learns of it', async () => {
  const file = await makeFile();
  const first = say(file, 1, 'mine');
  await log.committed(file);
  expect(log.isWriting(file.runId)).toBe(true);
  const epoch = await takeRunLease(db, file.runId);
  say(file, 2, 'not mine');
  await expect(log.committed(file)).rejects.toThrow(LeaseLost);
  expect(file.refusals).toHaveLength(1);
  expect(log.isWriting(file.runId)).toBe(false);
  const next = { ...file, epoch: epoch ?? 0 };
  const second = say(next, 2, 'theirs');
  await log.committed(next);
  await expect(log.committed(file)).rejects.toThrow(LeaseLost);
  expect(await readLog(file)).toEqual([first, second]);
});

test('a reader far behind, or who comes late, gets everything once and in order', async () => {
  const file = await makeFile();
  const run = { id: file.runId, organizationId, startedOn: file.startedOn };
  const watcher = { watch: () => () => undefined, close: () => Promise.resolve() };
  const reading = readRunEvents({ db, log, watcher }, run, 0, new AbortController().signal);
  say(file, 1, 'first');
  await log.committed(file);
  const events = [(await reading.next()).value as RunEvent];
  for (let seq = 2; seq <= 9000; seq += 1) say(file, seq, `token ${seq}`);
  await log.committed(file);
  log.append(file, { ...say(file, 9001, 'last'), seq: 9002, type: 'run.finished', finish_reason: 'stop' });
  await log.committed(file);
  for await (const event of reading) events.push(event);
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 9002 }, (_, index) => index + 1));
});
