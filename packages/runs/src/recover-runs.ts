import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { forgetExecutors, listLiveExecutors, recordHeartbeat, type Db } from '@lamb/store';
import { sql } from 'kysely';

const HEARTBEAT_MS = 1000;
const DEAD_AFTER_MS = 5000;
const RECOVERY_LOCK = 724_001;

interface Watch {
  readonly db: Db;
  readonly executorId: string;
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

/** Says every second that this process lives, and takes over the runs of processes that no longer say so. Returns how to stop. */
export function recoverRuns({ db, executorId, version, onError }: Watch): () => Promise<void> {
  let stopped = false;
  let beating = Promise.resolve();
  const beat = async (): Promise<void> => {
    try {
      await recordHeartbeat(db, executorId);
      await takeOver(db, version);
    } catch (error) {
      if (!stopped) onError(error);
    }
  };
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, HEARTBEAT_MS);
  timer.unref();
  return async () => {
    stopped = true;
    clearInterval(timer);
    await beating;
    await forgetExecutors(db, [executorId]).catch(() => undefined);
  };
}

async function takeOver(db: Db, version: string): Promise<void> {
  const live = await listLiveExecutors(db, DEAD_AFTER_MS);
  if ((await listAbandoned(db, version, live)).length === 0) return;
  await db.connection().execute(async (connection) => {
    // One process at a time: two would both start the same runs.
    const lock = sql<{ taken: boolean }>`select pg_try_advisory_lock(${RECOVERY_LOCK}) as taken`;
    if (!(await lock.execute(connection)).rows[0]?.taken) return;
    try {
      const dead = await listAbandoned(connection, version, live);
      if (dead.length > 0) await DBOSExecutor.globalInstance?.recoverPendingWorkflows(dead);
      await forgetExecutors(connection, dead);
    } finally {
      await sql`select pg_advisory_unlock(${RECOVERY_LOCK})`.execute(connection);
    }
  });
}

/** The executors that runs are still assigned to and that nobody has seen alive. */
async function listAbandoned(db: Db, version: string, live: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct executor_id as id from dbos.workflow_status
    where status = 'PENDING' and application_version = ${version} and executor_id <> all(${live}::text[])`.execute(db);
  return rows.map(({ id }) => id);
}
