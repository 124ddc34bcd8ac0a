import {
  createJob,
  endJobs,
  holdJob,
  isJobHeld,
  migrate,
  openDatabase,
  withTenant,
  type Db,
  type NewJob,
} from '@lamb/store';
import { createTestDatabase, type TestDatabase } from '@lamb/testing';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createRuns, migrateRuns, type JobAttempt, type Runs } from './index.ts';

interface Input {
  readonly name: string;
  readonly what: 'finish' | 'wait' | 'fail';
}

let database: TestDatabase;
let db: Db;
let runs: Runs;
let north: string;
let south: string;
const begun: string[] = [];
const ended: string[] = [];
const givenUp: string[] = [];
const signals = new Map<string, JobAttempt>();
const errors: unknown[] = [];

async function perform(attempt: JobAttempt): Promise<void> {
  const { job, signal, leaving } = attempt;
  const { name, what } = job.input as Input;
  begun.push(`${name}#${String(job.epoch)}`);
  signals.set(name, attempt);
  if (what === 'fail') throw new Error('It cannot be done.');
  if (what === 'wait') {
    const either = AbortSignal.any([signal, leaving]);
    if (!either.aborted) await once(either, 'abort');
    either.throwIfAborted();
  }
  await withTenant(db, job.organizationId, async (tx) => {
    await holdJob(tx, job);
    await endJobs(tx, [job.id]);
  });
  ended.push(name);
}

async function open(): Promise<Runs> {
  return await createRuns({
    db,
    databaseUrl: database.appUrl,
    connections: 5,
    retentionDays: 30,
    prepare: () => Promise.reject(new Error('There are no runs here.')),
    jobs: {
      atOnce: 2,
      handlers: {
        test: {
          run: perform,
          giveUp: (job) => {
            givenUp.push((job.input as Input).name);
            return Promise.resolve();
          },
        },
      },
    },
    onError: (error) => errors.push(error),
  });
}

async function start(organizationId: string, input: Input): Promise<NewJob> {
  return await withTenant(db, organizationId, (tx) => createJob(tx, { kind: 'test', input }));
}

const openJobs = async () => (await db.selectFrom('ops.jobs').select('id').execute()).map(({ id }) => id);
const end = (job: NewJob) => withTenant(db, job.organizationId, (tx) => endJobs(tx, [job.id]));
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 20_000 });
vi.setConfig({ testTimeout: 40_000 });

beforeAll(async () => {
  database = await createTestDatabase({
    prepare: async (ownerUrl) => {
      await migrate(ownerUrl);
      await migrateRuns(ownerUrl);
    },
  });
  db = openDatabase(database.appUrl);
  const add = async (slug: string) =>
    (await db.insertInto('auth.organization').values({ name: slug, slug }).returning('id').executeTakeFirstOrThrow())
      .id;
  [north, south] = await Promise.all([add('north'), add('south')]);
  runs = await open();
});
afterAll(async () => {
  await runs.close();
  await db.destroy();
  await database.drop();
});
beforeEach(() => {
  for (const list of [begun, ended, givenUp, errors]) list.length = 0;
});

test('a job is done once, and is gone when it is', async () => {
  const job = await start(north, { name: 'a', what: 'finish' });
  // As if another process had heard of it later.
  await sql`select pg_notify('lamb_job_new', ${JSON.stringify(job)})`.execute(db);
  await eventually(() => ended).toEqual(['a']);
  expect(begun).toEqual(['a#1']);
  expect(await openJobs()).toEqual([]);
});

test('two of an organisation are done at a time, in their turn, and it does not keep another one waiting', async () => {
  const holding = [await start(north, { name: 'h1', what: 'wait' }), await start(north, { name: 'h2', what: 'wait' })];
  await eventually(() => begun).toHaveLength(2);
  for (const name of ['n1', 'n2', 'n3', 'n4', 'n5']) await start(north, { name, what: 'finish' });
  await start(south, { name: 's1', what: 'finish' });
  await eventually(() => ended).toEqual(['s1']);
  expect(begun).toHaveLength(3);
  for (const job of holding) await end(job);
  await eventually(() => ended).toHaveLength(6);
  expect(signals.get('h1')?.signal.aborted).toBe(true);
});

test('who is ended while waiting is never begun', async () => {
  const holding = [await start(north, { name: 'h1', what: 'wait' }), await start(north, { name: 'h2', what: 'wait' })];
  await eventually(() => begun).toHaveLength(2);
  await end(await start(north, { name: 'never', what: 'finish' }));
  for (const job of holding) await end(job);
  await start(north, { name: 'after', what: 'finish' });
  await eventually(() => ended).toEqual(['after']);
  expect(begun.join()).not.toContain('never');
});

test('a job that cannot be done is given up, and said so', async () => {
  await start(north, { name: 'f', what: 'fail' });
  await eventually(() => givenUp).toEqual(['f']);
  await eventually(openJobs).toEqual([]);
  expect(errors).toMatchObject([{ message: 'It cannot be done.' }]);
});

test('a job that was made and not handed over is done; one that the journal gave up is given up', async () => {
  const stray = randomUUID();
  // Made so that nobody is told of it.
  await sql`insert into ops.jobs (id, organization_id, kind, input, turn)
    values (${stray}, ${north}, 'test', ${JSON.stringify({ name: 'stray', what: 'finish' })}, 1)`.execute(db);
  const dead = await start(north, { name: 'dead', what: 'wait' });
  await eventually(() => begun).toHaveLength(1);
  await sql`update ops.jobs set created_at = now() - interval '1 hour'`.execute(db);
  await sql`update dbos.workflow_status set status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED', updated_at = 0
      where workflow_uuid = ${dead.id}`.execute(db);
  await eventually(() => ended).toEqual(['stray']);
  await eventually(() => givenUp).toEqual(['dead']);
  expect(await openJobs()).not.toContain(stray);
});

test('what a process leaves behind is taken over, and who had it no longer holds it', async () => {
  const job = await start(north, { name: 'left', what: 'wait' });
  await eventually(() => begun).toEqual(['left#1']);
  const first = signals.get('left');
  const gone = randomUUID();
  await db
    .insertInto('ops.executors')
    .values({ id: gone, seen_at: new Date(0) })
    .execute();
  await sql`update dbos.workflow_status set executor_id = ${gone} where workflow_uuid = ${job.id}`.execute(db);
  await eventually(() => begun).toEqual(['left#1', 'left#2']);
  if (!first) throw new Error('It was not begun.');
  expect(await isJobHeld(db, first.job)).toBe(false);
  await end(job);
});

test('a process that stops leaves its jobs, and the next one goes on with them', async () => {
  const job = await start(south, { name: 'restarted', what: 'wait' });
  await eventually(() => begun).toEqual(['restarted#1']);
  const started = performance.now();
  await runs.close(10_000);
  expect(performance.now() - started).toBeLessThan(8000);
  expect(givenUp).toEqual([]);
  expect(await openJobs()).toEqual([job.id]);
  runs = await open();
  await eventually(() => begun).toEqual(['restarted#1', 'restarted#2']);
  await end(job);
});

test('news of a topic is heard by who watches it', async () => {
  const heard: (string | undefined)[] = [];
  const stop = runs.watch('collection:1', (news) => heard.push(news));
  await sql`select pg_notify('lamb_news', 'collection:1 d1'), pg_notify('lamb_news', 'collection:2 d2')`.execute(db);
  await eventually(() => heard).toEqual(['d1']);
  stop();
});
