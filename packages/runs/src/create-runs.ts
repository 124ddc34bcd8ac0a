import { DBOS } from '@dbos-inc/dbos-sdk';
import type { RunEvent } from '@lamb/contract';
import {
  createEventSequence,
  executeTurn,
  type EventBody,
  type Plan,
  type RunStep,
  type TurnPorts,
  type TurnRequest,
  TurnDeadlinePassed,
} from '@lamb/engine';
import {
  addChatMessage,
  beginRunEffect,
  createRun,
  getRun,
  keepRunEventPartitions,
  setRunStatus,
  summarizeRunEvents,
  takeRunLease,
  withTenant,
  type Db,
  type RunStatus,
  type StoredRun,
} from '@lamb/store';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createEventLog, LeaseLost, type RunFile } from './create-event-log.ts';
import { NamedStatementClient } from './named-statement-client.ts';
import { readRunEvents } from './read-run-events.ts';
import { recoverRuns } from './recover-runs.ts';
import { retryWhileDatabaseIsGone } from './retry-while-database-is-gone.ts';
import { watchRuns } from './watch-runs.ts';

/** What the server makes of a stored run, so that it can be executed. */
export interface PreparedRun {
  readonly plan: Plan;
  readonly request: TurnRequest;
  readonly ports: Omit<TurnPorts, 'signal' | 'approve'>;
  /** Hears every event as it happens in this process, before it is committed. */
  readonly observe: (event: RunEvent) => void;
}

/** A run and the organisation it belongs to. */
export interface OwnedRun extends StoredRun {
  readonly organizationId: string;
}

export interface RunsOptions {
  readonly db: Db;
  readonly databaseUrl: string;
  /** How many connections the journal may hold. */
  readonly connections: number;
  /** Days after which the events of a run are removed. */
  readonly retentionDays: number;
  readonly prepare: (run: OwnedRun, signal: AbortSignal) => Promise<PreparedRun>;
  readonly onError: (error: unknown, what: string) => void;
}

export interface NewDurableRun {
  readonly organizationId: string;
  readonly assistantId: number;
  readonly userId: string;
  readonly chatId?: string | undefined;
  readonly input: unknown;
}

/** Durable runs: once started, a run is finished, by this process or by another. */
export interface Runs {
  start(run: NewDurableRun): Promise<OwnedRun>;
  find(organizationId: string, id: string): Promise<OwnedRun | undefined>;
  /** The events after a number, as they happen, until the run's end. */
  read(run: OwnedRun, after: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** Ends a run at once, wherever it is executed. */
  cancel(run: OwnedRun): Promise<void>;
  /** Decides about a call that waits for approval. */
  decide(run: OwnedRun, callId: string, decision: 'approved' | 'rejected'): Promise<void>;
  close(): Promise<void>;
}

interface RunRef {
  readonly runId: string;
  readonly organizationId: string;
}

type Decision = { readonly callId: string; readonly decision: 'approved' | 'rejected' } | { readonly cancelled: true };

/** Changed whenever the steps of a run change so that a run of an older version could not be continued. */
const VERSION = 'lamb-1';
const APPROVAL_WAIT_SECONDS = 30 * 86_400;
const DECISIONS = 'decisions';

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
  const watcher = watchRuns(databaseUrl);
  const running = new Map<string, AbortController>();
  /** Runs that were just made here: nobody has written their events yet, so there is nothing to look up. */
  const fresh = new Set<string>();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: options.connections, Client: NamedStatementClient });
  pool.on('error', (error) => {
    onError(error, 'journal connection');
  });
  watcher.onCancel((runId) => running.get(runId)?.abort(new Error('The run was cancelled.')));

  const today = () => new Date().toISOString().slice(0, 10);
  const find = async (organizationId: string, id: string): Promise<OwnedRun | undefined> => {
    const run = await withTenant(db, organizationId, (tx) => getRun(tx, id));
    return run && { ...run, organizationId };
  };
  const setStatus = (run: OwnedRun, status: RunStatus) =>
    retryWhileDatabaseIsGone(() => withTenant(db, run.organizationId, (tx) => setRunStatus(tx, run.id, status)));

  execute = async ({ runId, organizationId }) => {
    const run = await retryWhileDatabaseIsGone(() => find(organizationId, runId));
    if (!run) return;
    const controller = new AbortController();
    running.set(runId, controller);
    if (run.status === 'cancelled') controller.abort(new Error('The run was cancelled.'));
    try {
      const file = await openFile(run);
      const prepared = await retryWhileDatabaseIsGone(() => options.prepare(run, controller.signal));
      await executeRun(run, file, prepared, controller);
    } finally {
      running.delete(runId);
    }
  };

  /** Where this attempt writes, and what earlier ones had said. */
  const openFile = async (run: OwnedRun): Promise<RunFile & { lastSeq: number; attempts: Map<string, number> }> => {
    const { id: runId, organizationId, startedOn } = run;
    const filed = { runId, organizationId, startedOn };
    if (fresh.delete(runId)) return { ...filed, epoch: 1, lastSeq: 0, attempts: new Map() };
    const epoch = await retryWhileDatabaseIsGone(() => takeRunLease(db, runId));
    const said = await retryWhileDatabaseIsGone(() =>
      withTenant(db, organizationId, (tx) => summarizeRunEvents(tx, run)),
    );
    return { ...filed, epoch, ...said };
  };

  const executeRun = async (
    run: OwnedRun,
    { lastSeq, attempts, ...file }: Awaited<ReturnType<typeof openFile>>,
    prepared: PreparedRun,
    controller: AbortController,
  ): Promise<void> => {
    const { plan, request, ports, observe } = prepared;
    const number = createEventSequence(run.id, ports.now, lastSeq);
    const deadline = createDeadline(plan.deadlineMs, controller);
    const decided = new Map<string, 'approved' | 'rejected'>();

    const step: RunStep = (name, work) =>
      DBOS.runStep(
        async () => {
          const attempt = (attempts.get(name) ?? 0) + 1;
          attempts.set(name, attempt);
          const emit = (body: EventBody) => {
            const event = number(name, attempt, body);
            log.append(file, event);
            observe(event);
          };
          if (attempt > 1) emit({ type: 'step.restarted' });
          const result = await work({
            emit,
            ready: () => undefined,
            begin: async () => {
              const isFirst = await withTenant(db, run.organizationId, (tx) => beginRunEffect(tx, run.id, name));
              return isFirst ? 'fresh' : 'restarted';
            },
            signal: controller.signal,
          });
          // The log is ahead of the journal: a step that is recorded as done has told all of it.
          await log.committed(run.id);
          return result;
        },
        { name },
      );

    const approve = async (callId: string): Promise<'approved' | 'rejected'> => {
      deadline.pause();
      await setStatus(run, 'waiting');
      try {
        for (;;) {
          const decision = decided.get(callId);
          if (decision) return decision;
          const message = await DBOS.recv<Decision>(DECISIONS, { timeoutSeconds: APPROVAL_WAIT_SECONDS });
          if (message === null) return 'rejected';
          if ('cancelled' in message) controller.abort(new Error('The run was cancelled.'));
          else decided.set(message.callId, message.decision);
          controller.signal.throwIfAborted();
        }
      } finally {
        await setStatus(run, 'running');
        deadline.resume();
      }
    };

    try {
      const end = await executeTurn(plan, request, { ...ports, step, approve, signal: controller.signal });
      await retryWhileDatabaseIsGone(() =>
        withTenant(db, run.organizationId, async (tx) => {
          if (run.chatId !== null && end.status === 'finished') {
            const message = { role: 'assistant', content: end.text };
            await addChatMessage(tx, run.chatId, { runId: run.id, message });
          }
          await setRunStatus(tx, run.id, end.status);
        }),
      );
    } catch (error) {
      if (error instanceof LeaseLost) return;
      throw error;
    } finally {
      deadline.clear();
    }
  };

  await keepRunEventPartitions(db, today(), options.retentionDays);
  const housekeeping = setInterval(() => {
    keepRunEventPartitions(db, today(), options.retentionDays).catch((error: unknown) => {
      onError(error, 'event partitions');
    });
  }, 3_600_000);
  housekeeping.unref();
  DBOS.setConfig({
    name: 'lamb',
    executorID: executorId,
    applicationVersion: VERSION,
    systemDatabaseUrl: databaseUrl,
    systemDatabasePool: pool,
    runMigrations: false,
    logLevel: 'error',
  });
  await DBOS.launch();
  const stopRecovering = recoverRuns({
    db,
    executorId,
    version: VERSION,
    onError: (error) => {
      onError(error, 'heartbeat');
    },
  });

  return {
    async start({ organizationId, assistantId, userId, chatId, input }) {
      const id = randomUUID();
      const startedOn = today();
      await withTenant(db, organizationId, (tx) =>
        createRun(tx, { id, assistantId, userId, chatId, input, startedOn }),
      );
      fresh.add(id);
      await DBOS.startWorkflow(turnWorkflow, { workflowID: id })({ runId: id, organizationId });
      return {
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
    },
    find,
    read: (run, after, signal) => readRunEvents({ db, log, watcher }, run, after, signal),
    async cancel(run) {
      await setStatus(run, 'cancelled');
      await sql`select pg_notify('lamb_run_cancel', ${run.id})`.execute(db);
      await DBOS.send<Decision>(run.id, { cancelled: true }, DECISIONS);
    },
    async decide(run, callId, decision) {
      // The first decision about a call counts; the key makes a second one disappear.
      await DBOS.send<Decision>(run.id, { callId, decision }, DECISIONS, `${run.id}:${callId}`);
    },
    async close() {
      clearInterval(housekeeping);
      await stopRecovering();
      await DBOS.shutdown({ workflowCompletionTimeoutMS: 20_000 });
      execute = undefined;
      await log.close();
      await watcher.close();
      await pool.end().catch(() => undefined);
    },
  };
}

/** A deadline that does not run while a person is being waited for. */
function createDeadline(milliseconds: number, controller: AbortController) {
  let timer: NodeJS.Timeout | undefined;
  let left = milliseconds;
  let since = 0;
  const resume = () => {
    since = performance.now();
    timer = setTimeout(() => {
      controller.abort(new TurnDeadlinePassed());
    }, left);
  };
  const pause = () => {
    clearTimeout(timer);
    left -= performance.now() - since;
  };
  resume();
  return {
    pause,
    resume,
    clear: () => {
      clearTimeout(timer);
    },
  };
}
