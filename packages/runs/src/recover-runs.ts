import { DBOS } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { forgetExecutors, listExecutors, recordDeparture, recordHeartbeat, type Db, type NewJob } from '@lamb/store';
import { sql } from 'kysely';
import type { JobRef } from './job-ref.ts';
import type { RunRef } from './run-ref.ts';

const HEARTBEAT_MS = 1000;
const DEAD_AFTER_MS = 5000;
/** Whoever could not say that it lives for this long cannot judge who else is silent: perhaps nobody could. */
const GAP_MS = 2500;
const RECOVERY_LOCK = 724_001;
/** Between making a run and handing it to the journal lie milliseconds; after this long, nobody will any more. */
const STRAY_AFTER_MS = 15_000;
const LOOK_FOR_STRAYS_EVERY = 5;

interface Watch {
  /** A connection of its own: a busy pool must not make a living process look dead. */
  readonly db: Db;
  readonly executorId: string;
  readonly version: string;
  /** Hands a run to the journal that its maker did not hand over. */
  readonly restart: (run: RunRef) => Promise<void>;
  /** Ends a run that the journal has given up. */
  readonly giveUp: (run: RunRef) => Promise<void>;
  /** The same for jobs. */
  readonly jobs: { enqueue(job: NewJob): Promise<void>; giveUp(job: JobRef): Promise<void> };
  readonly onError: (error: unknown) => void;
}

export interface Recovery {
  /** Takes over nothing more, and goes on saying that this process lives. */
  retire(): Promise<void>;
  /** Says that this process is gone: others take over at once what it has not finished. */
  leave(): Promise<void>;
}

/** Says every second that this process lives, and takes over the runs of processes that no longer do. The first time is said when this resolves. */
export async function recoverRuns({ db, executorId, version, onError, ...handOver }: Watch): Promise<Recovery> {
  await recordHeartbeat(db, executorId);
  let witnessSince = performance.now();
  let lastBeat = witnessSince;
  let beats = 0;
  let isRetired = false;
  let hasLeft = false;
  let timer: NodeJS.Timeout | undefined;

  const beat = async (): Promise<void> => {
    try {
      await recordHeartbeat(db, executorId);
      const now = performance.now();
      if (now - lastBeat > GAP_MS) witnessSince = now;
      lastBeat = now;
      beats += 1;
      if (isRetired || !DBOS.isInitialized()) return;
      await takeOver(db, version, now - witnessSince >= DEAD_AFTER_MS);
      if (beats % LOOK_FOR_STRAYS_EVERY !== 0) return;
      await lookAfterStrays(db, handOver);
      await lookAfterStrayJobs(db, handOver.jobs);
    } catch (error) {
      if (!hasLeft) onError(error);
    }
  };
  let beating = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      const started = performance.now();
      beating = beat().then(() => {
        if (hasLeft) return;
        nextPause = Math.max(0, HEARTBEAT_MS - (performance.now() - started));
        schedule();
      });
    }, nextPause);
    timer.unref();
  };
  let nextPause = HEARTBEAT_MS;
  schedule();
  return {
    async retire() {
      isRetired = true;
      await beating;
    },
    async leave() {
      hasLeft = true;
      clearTimeout(timer);
      await beating;
      await recordDeparture(db, executorId).catch(() => undefined);
    },
  };
}

async function takeOver(db: Db, version: string, isWitness: boolean): Promise<void> {
  const known = new Map((await listExecutors(db, DEAD_AFTER_MS)).map(({ id, state }) => [id, state]));
  const isDead = (id: string) => known.get(id) === 'left' || (isWitness && known.get(id) !== 'alive');
  const gone = [...known.keys()].filter(isDead);
  const isNeeded = (await listBusy(db, version)).some(isDead);
  if (!isNeeded && gone.length === 0) return;
  await underLock(db, async (connection) => {
    const dead = (await listBusy(connection, version)).filter(isDead);
    if (dead.length > 0) await DBOSExecutor.globalInstance?.recoverPendingWorkflows(dead);
    await forgetExecutors(connection, gone);
  });
}

interface Stray extends RunRef {
  /** Null: the journal has never heard of the run. */
  readonly status: string | null;
}

/** Runs that are under way as far as we know, and that the journal does not know or has done with. */
async function lookAfterStrays(db: Db, { restart, giveUp }: Pick<Watch, 'restart' | 'giveUp'>): Promise<void> {
  const { rows } = await sql<Stray>`
    select l.run_id as "runId", l.organization_id as "organizationId", w.status
    from ops.run_leases l left join dbos.workflow_status w on w.workflow_uuid = l.run_id::text
    where l.created_at < now() - make_interval(secs => ${STRAY_AFTER_MS / 1000}) and l.organization_id is not null
      and (w.status is null or w.status in ('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
        and w.updated_at < extract(epoch from now()) * 1000 - ${STRAY_AFTER_MS})
    limit 100`.execute(db);
  if (rows.length === 0) return;
  await underLock(db, async () => {
    for (const { status, ...run } of rows) await (status === null ? restart(run) : giveUp(run));
  });
}

interface StrayJob extends NewJob {
  readonly status: string | null;
}

/** The same for jobs. */
async function lookAfterStrayJobs(db: Db, { enqueue, giveUp }: Watch['jobs']): Promise<void> {
  const { rows } = await sql<StrayJob>`
    select j.id, j.organization_id as "organizationId", j.turn, w.status
    from ops.jobs j left join dbos.workflow_status w on w.workflow_uuid = j.id::text
    where j.created_at < now() - make_interval(secs => ${STRAY_AFTER_MS / 1000})
      and (w.status is null or w.status in ('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
        and w.updated_at < extract(epoch from now()) * 1000 - ${STRAY_AFTER_MS})
    limit 100`.execute(db);
  if (rows.length === 0) return;
  await underLock(db, async () => {
    for (const { status, ...job } of rows) {
      await (status === null ? enqueue(job) : giveUp({ jobId: job.id, organizationId: job.organizationId }));
    }
  });
}

/** One process at a time. */
async function underLock(db: Db, work: (connection: Db) => Promise<void>): Promise<void> {
  await db.connection().execute(async (connection) => {
    const lock = sql<{ taken: boolean }>`select pg_try_advisory_lock(${RECOVERY_LOCK}) as taken`;
    if (!(await lock.execute(connection)).rows[0]?.taken) return;
    try {
      await work(connection);
    } finally {
      await sql`select pg_advisory_unlock(${RECOVERY_LOCK})`.execute(connection);
    }
  });
}

/** The executors that runs are assigned to. */
async function listBusy(db: Db, version: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct executor_id as id from dbos.workflow_status
    where status = 'PENDING' and application_version = ${version}`.execute(db);
  return rows.map(({ id }) => id);
}
