import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';
import { dbRetryConfig } from '@dbos-inc/dbos-sdk/internal/utils';
import type { RunEvent } from '@lamb/contract';
import { createEventSequence } from '@lamb/engine';
import {
  createRun,
  getRun,
  openDatabase,
  retryWhileDatabaseIsGone,
  setRunStatus,
  summarizeRunEvents,
  takeRunLease,
  withTenant,
  type Db,
} from '@lamb/store';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createEventLog, type RunFile } from './create-event-log.ts';
import { decideCall, sendToRun } from './decide-call.ts';
import { executeRun, failRun, type OwnedRun, type PreparedRun, type RunAttempt } from './execute-run.ts';
import { createJobs, type JobsOptions } from './execute-jobs.ts';
import { NamedStatementClient } from './named-statement-client.ts';
import { readRunEvents } from './read-run-events.ts';
import { recoverRuns } from './recover-runs.ts';
import type { RunRef } from './run-ref.ts';
import { startHousekeeping } from './start-housekeeping.ts';
import { watchRuns } from './watch-runs.ts';

export interface RunsOptions {
  readonly db: Db;
  readonly databaseUrl: string;
  /** How many connections the journal may hold. */
  readonly connections: number;
  /** Days after which a run and its events are removed. */
  readonly retentionDays: number;
  /** Makes a run executable that this process did not start, or no longer remembers. */
  readonly prepare: (run: OwnedRun, signal: AbortSignal) => Promise<PreparedRun>;
  /** What this process does in the background; undefined: nothing. */
  readonly jobs?: JobsOptions | undefined;
  readonly onError: (error: unknown, what: string) => void;
}

export interface NewDurableRun {
  readonly organizationId: string;
  readonly assistantId: number;
  readonly userId: string;
  /** Where it answers; refused while another answer is under way there. */
  readonly chatId?: string | undefined;
  /** What the run answers in its chat; it is kept if and only if the run is. */
  readonly said?: unknown;
  /** The first of the chat's messages whose place it takes. */
  readonly replacesFrom?: number | undefined;
  readonly input: unknown;
  /** Makes it executable in this process with what is at hand, instead of loading it again. */
  readonly prepare?: (run: OwnedRun, signal: AbortSignal) => PreparedRun;
}

/** Durable runs: once started, a run is finished, by this process or by another. */
export interface Runs {
  start(run: NewDurableRun): Promise<OwnedRun>;
  find(organizationId: string, id: string): Promise<OwnedRun | undefined>;
  /** The events after a number, as they happen, until the run's end. */
  read(run: OwnedRun, after: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** Ends a run at once, wherever it is executed. */
  cancel(run: OwnedRun): Promise<void>;
  /** Decides about a call that waits for approval, and gives the decision that counts: the first. Undefined: there is no such call. */
  decide(
    run: OwnedRun,
    callId: string,
    decision: 'approved' | 'rejected',
  ): Promise<'approved' | 'rejected' | undefined>;
  /** Calls back at news about a topic, from whichever process; without news, some may have been missed. Returns how to stop. */
  watch(topic: string, onNews: (news?: string) => void): () => void;
  /** Finishes what is under way, for as long as there is time (20 s), and leaves the rest to others. */
  close(withinMs?: number): Promise<void>;
}

/** Changed whenever the steps of a run change so that a run of an older version could not be continued. */
const VERSION = 'lamb-1';
const DRAIN_MS = 20_000;

interface Attempt {
  readonly ref: RunRef;
  readonly controller: AbortController;
  isWaiting: boolean;
}

interface FreshRun {
  readonly run: OwnedRun;
  readonly prepare: NewDurableRun['prepare'];
}

let execute: ((ref: RunRef) => Promise<void>) | undefined;

// DBOS knows workflows by name and for the whole process; what one does is set when the runs are created.
const turnWorkflow = DBOS.registerWorkflow(
  async (ref: RunRef): Promise<void> => {
    if (!execute) throw new Error('Runs were not created in this process.');
    await execute(ref);
  },
  { name: 'lamb.turn' },
);

/** Starts executing runs in this process. There can be one at a time: DBOS is one for the whole process. */
export async function createRuns(options: RunsOptions): Promise<Runs> {
  if (execute) throw new Error('Runs are already executed in this process; close them first.');
  const { db, databaseUrl, onError } = options;
  const executorId = randomUUID();
  const log = createEventLog(db);
  const running = new Map<string, Attempt>();
  /** Runs that were just made here: nobody else has touched them, so there is nothing to look up. */
  const fresh = new Map<string, FreshRun>();
  let isClosing = false;
  let isClosed = false;
  const tools = { db, log, onError, isClosed: () => isClosed };

  const find = async (organizationId: string, id: string): Promise<OwnedRun | undefined> => {
    const run = await withTenant(db, organizationId, (tx) => getRun(tx, id));
    return run && { ...run, organizationId };
  };
  const abort = (attempt: Attempt | undefined) => attempt?.controller.abort(new Error('The run was cancelled.'));
  const jobs = createJobs(options.jobs ?? { atOnce: 1, handlers: {} }, { db, onError });
  const watcher = watchRuns(databaseUrl, {
    onCancel: (runId) => {
      abort(running.get(runId));
    },
    onJobNew: jobs.onMade,
    onJobEnd: jobs.onEnded,
    onReconnect: () => {
      jobs.lookAgain();
      for (const attempt of running.values()) void abortIfCancelled(attempt);
    },
  });
  const abortIfCancelled = async (attempt: Attempt): Promise<void> => {
    try {
      const run = await find(attempt.ref.organizationId, attempt.ref.runId);
      if (run?.status === 'cancelled') abort(attempt);
    } catch (error) {
      onError(error, 'cancellation');
    }
  };

  /** Takes over a run as its latest attempt; undefined: it is over, or gone. */
  const open = async (attempt: Attempt): Promise<RunAttempt | undefined> => {
    const { ref, controller } = attempt;
    const begun = fresh.get(ref.runId);
    fresh.delete(ref.runId);
    const run = begun?.run ?? (await retryWhileDatabaseIsGone(() => find(ref.organizationId, ref.runId)));
    const epoch = begun ? 1 : await retryWhileDatabaseIsGone(() => takeRunLease(db, ref.runId));
    if (!run || epoch === undefined) return undefined;
    const said = begun
      ? { lastSeq: 0, attempts: new Map<string, number>(), hasEnded: false }
      : await retryWhileDatabaseIsGone(() => withTenant(db, ref.organizationId, (tx) => summarizeRunEvents(tx, run)));
    const file: RunFile = { ...ref, startedOn: run.startedOn, epoch, onRefused: (reason) => controller.abort(reason) };
    if (run.status === 'cancelled') abort(attempt);
    return {
      run,
      file,
      controller,
      attempts: said.attempts,
      hasEnded: said.hasEnded,
      number: createEventSequence(run.id, Date.now, said.lastSeq),
      prepare: begun?.prepare ?? options.prepare,
      onWaiting: (isWaiting) => {
        attempt.isWaiting = isWaiting;
      },
    };
  };
  const withAttempt = async (ref: RunRef, work: (opened: RunAttempt) => Promise<void>): Promise<void> => {
    const attempt: Attempt = { ref, controller: new AbortController(), isWaiting: false };
    // Before anything is looked up, so that no cancellation falls between.
    running.set(ref.runId, attempt);
    let opened: RunAttempt | undefined;
    try {
      opened = await open(attempt);
      if (opened) await work(opened);
    } finally {
      if (opened) log.release(opened.file);
      if (running.get(ref.runId) === attempt) running.delete(ref.runId);
    }
  };
  execute = async (ref) => {
    // Others take it over as soon as this process has left.
    if (isClosing) await new Promise(() => undefined);
    await withAttempt(ref, (attempt) => executeRun(attempt, tools));
  };
  const restart = async (ref: RunRef): Promise<void> => {
    await DBOS.startWorkflow(turnWorkflow, { workflowID: ref.runId })(ref);
  };

  const stopHousekeeping = await startHousekeeping(db, options.retentionDays, (error) => {
    onError(error, 'housekeeping of runs');
  });

  const pool = new pg.Pool({ connectionString: databaseUrl, max: options.connections, Client: NamedStatementClient });
  pool.on('error', (error) => {
    onError(error, 'journal connection');
  });
  // While a client is lent out, nobody else listens, and an error that nobody hears ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const vitals = openDatabase(databaseUrl, { maxConnections: 1, connectTimeoutMs: 2000, statementTimeoutMs: 5000 });
  // Others must know that this process lives before anything is assigned to it.
  const recovery = await recoverRuns({
    db: vitals,
    executorId,
    version: VERSION,
    restart,
    jobs,
    giveUp: (ref) =>
      withAttempt(ref, (attempt) => failRun(attempt, new Error('The journal has given up this run.'), tools)),
    onError: (error) => {
      onError(error, 'heartbeat');
    },
  });
  // Its own first pause is a second, and it doubles up to a minute: a short outage would become a long one.
  dbRetryConfig.initialBackoffSec = 0.1;
  dbRetryConfig.maxBackoffSec = 2;
  DBOS.setConfig({
    name: 'lamb',
    executorID: executorId,
    applicationVersion: VERSION,
    systemDatabaseUrl: databaseUrl,
    systemDatabasePool: pool,
    runMigrations: false,
    ...(options.jobs ? {} : { listenQueues: [] }),
    logger: {
      info: () => undefined,
      debug: () => undefined,
      warn: () => undefined,
      error: (error) => {
        // That another process has taken over is told where it matters.
        if (!(error instanceof DBOSWorkflowConflictError)) onError(error, 'journal');
      },
    },
  });
  await DBOS.launch();
  if (options.jobs) await jobs.open();

  return {
    async start({ organizationId, assistantId, userId, chatId, said, replacesFrom, input, prepare }) {
      const id = randomUUID();
      const startedOn = today();
      await createRun(db, organizationId, { id, assistantId, userId, chatId, said, replacesFrom, input, startedOn });
      const run: OwnedRun = {
        id,
        organizationId,
        assistantId,
        userId,
        chatId: chatId ?? null,
        status: 'running',
        input,
        startedOn,
        createdAt: new Date(),
        finishedAt: null,
      };
      fresh.set(id, { run, prepare });
      log.expect(id);
      try {
        await restart({ runId: id, organizationId });
      } catch (error) {
        fresh.delete(id);
        log.dismiss(id);
        throw error;
      }
      return run;
    },
    find,
    read: (run, after, signal) => readRunEvents({ db, log, watcher }, run, after, signal),
    async cancel(run) {
      await withTenant(db, run.organizationId, (tx) => setRunStatus(tx, run.id, 'cancelled'));
      await sql`select pg_notify('lamb_run_cancel', ${run.id})`.execute(db);
      await sendToRun(run, { cancelled: true });
    },
    decide: (run, callId, decision) => decideCall(db, run, callId, decision),
    watch: watcher.watch,
    async close(withinMs = DRAIN_MS) {
      stopHousekeeping();
      jobs.retire();
      await recovery.retire();
      isClosing = true;
      const giveUpAt = performance.now() + withinMs;
      const isBusy = () => [...running.values()].some(({ isWaiting }) => !isWaiting) || jobs.isBusy();
      while (isBusy() && performance.now() < giveUpAt) await wait(20);
      isClosed = true;
      jobs.close();
      await DBOS.shutdown();
      execute = undefined;
      await log.close();
      await pool.end().catch(() => undefined);
      await watcher.close();
      await recovery.leave();
      await vitals.destroy();
    },
  };
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
