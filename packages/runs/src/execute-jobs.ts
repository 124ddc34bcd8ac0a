import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';
import {
  endJobs,
  isDatabaseGone,
  isJobHeld,
  isJobOpen,
  JobLost,
  retryWhileDatabaseIsGone,
  takeJob,
  type Db,
  type Job,
  type NewJob,
} from '@lamb/store';
import { sql } from 'kysely';
import type { JobRef } from './job-ref.ts';

/** One process's attempt at a job. */
export interface JobAttempt {
  readonly job: Job;
  /** Aborted when the job was ended by somebody, or this process stops within moments. */
  readonly signal: AbortSignal;
  /** Aborted when this process is about to stop: what is at hand may be finished, nothing more begun. */
  readonly leaving: AbortSignal;
}

/** How one kind of job is done. */
export interface JobHandler {
  /**
   * Does the job from where earlier attempts have left it, and ends it with `endJobs` when it has. It keeps what it has
   * done itself, in transactions in which it holds the job; it throws when it cannot go on, for whatever reason.
   */
  run(attempt: JobAttempt): Promise<void>;
  /** Writes down that a job cannot be done. */
  giveUp(job: Job, error: unknown): Promise<void>;
}

/** What may be done in the background, by kind. */
export interface JobsOptions {
  /**
   * How many jobs of one organisation a process executes at a time. Other organisations have as many: most of a job is
   * waiting for the organisation's own provider. What takes this machine's processor is for the handlers to limit.
   */
  readonly atOnce: number;
  readonly handlers: Readonly<Record<string, JobHandler>>;
}

/** Jobs of one process. */
export interface Jobs {
  /** Makes the journal execute them; to be called when it runs. */
  open(): Promise<void>;
  /** Hands a job over to whichever process has time for it. Bears repetition. */
  enqueue(job: NewJob): Promise<void>;
  /** Everybody hears of a new job and hands it over, so that it does not depend on who made it; one that nobody heard of is found later. */
  onMade(job: NewJob): void;
  onEnded(jobId: string): void;
  /** Looks whether jobs were ended while nobody told. */
  lookAgain(): void;
  giveUp(ref: JobRef): Promise<void>;
  /** Says that this process is about to stop. */
  retire(): void;
  isBusy(): boolean;
  /** Breaks off what is still under way; others go on with it. */
  close(): void;
}

interface Running {
  readonly job: Job;
  readonly controller: AbortController;
}

const QUEUE = 'lamb.jobs';
/** Of all organisations together: each has its attempts in memory. */
const MOST_AT_ONCE = 64;
/** A job takes seconds; that it waits for a fifth of one costs nobody anything, nor does asking that often. */
const POLLING_MS = 200;
/** A process that dies under a job may be the job's doing: one that has killed as many as this is given up. */
const MAX_RECOVERIES = 20;

let execute: ((ref: JobRef) => Promise<void>) | undefined;

const jobWorkflow = DBOS.registerWorkflow(
  async (ref: JobRef): Promise<void> => {
    if (!execute) throw new Error('Jobs are not executed in this process.');
    await execute(ref);
  },
  { name: 'lamb.job', maxRecoveryAttempts: MAX_RECOVERIES },
);

interface Tools {
  readonly db: Db;
  readonly onError: (error: unknown, what: string) => void;
}

/** Makes the execution of jobs; it begins when it is opened. */
export function createJobs({ atOnce, handlers }: JobsOptions, { db, onError }: Tools): Jobs {
  const running = new Map<string, Running>();
  const leaving = new AbortController();
  let isOpen = false;
  let isClosed = false;

  const attempt = async ({ job, controller }: Running, handler: JobHandler): Promise<void> => {
    const { signal } = controller;
    for (;;) {
      try {
        leaving.signal.throwIfAborted();
        await handler.run({ job, signal, leaving: leaving.signal });
        return;
      } catch (error) {
        if (leaving.signal.aborted) {
          running.delete(job.id);
          await forever();
        }
        if (error instanceof JobLost || signal.aborted) {
          // Taken over: how it ends is for the other one to say. Ended: there is nothing more to say.
          if (await retryWhileDatabaseIsGone(() => isJobOpen(db, job.id))) throw new DBOSWorkflowConflictError(job.id);
          return;
        }
        if (!isDatabaseGone(error)) {
          onError(error, `job ${job.id} failed`);
          await giveUp(job, error);
          return;
        }
        // Nothing is wrong with the job, and all it has done so far is kept: it goes on when the database is back.
        await retryWhileDatabaseIsGone(() => sql`select 1`.execute(db), { patienceMs: Infinity, signal });
      }
    }
  };
  const giveUp = async (job: Job, error: unknown): Promise<void> => {
    try {
      await retryWhileDatabaseIsGone(async () => {
        await handlers[job.kind]?.giveUp(job, error);
        await endJobs(db, [job.id]);
      });
    } catch (refusal) {
      // Somebody else has it meanwhile.
      if (!(refusal instanceof JobLost)) throw refusal;
    }
  };
  execute = async ({ jobId }) => {
    // Others take it over as soon as this process has left.
    if (leaving.signal.aborted) await forever();
    const job = await retryWhileDatabaseIsGone(() => takeJob(db, jobId), { patienceMs: Infinity });
    if (!job) return;
    const handler = handlers[job.kind];
    if (!handler) throw new Error(`There is no job of the kind “${job.kind}”.`);
    const current: Running = { job, controller: new AbortController() };
    running.set(jobId, current);
    try {
      await attempt(current, handler);
    } finally {
      if (running.get(jobId) === current) running.delete(jobId);
    }
  };
  const enqueue = async ({ id, organizationId, turn }: NewJob): Promise<void> => {
    const options = {
      workflowID: id,
      queueName: QUEUE,
      enqueueOptions: { priority: turn, queuePartitionKey: organizationId },
    };
    await DBOS.startWorkflow(jobWorkflow, options)({ jobId: id, organizationId });
  };
  const abort = ({ controller }: Running) => {
    controller.abort(new Error('The job was ended.'));
  };

  return {
    async open() {
      isOpen = true;
      await DBOS.registerQueue(QUEUE, {
        workerConcurrency: MOST_AT_ONCE,
        partitionWorkerConcurrency: atOnce,
        minPollingIntervalMs: POLLING_MS,
        onConflict: 'always_update',
      });
    },
    enqueue,
    onMade(job) {
      if (!isOpen || leaving.signal.aborted) return;
      enqueue(job).catch((error: unknown) => {
        onError(error, `job ${job.id} could not be handed over`);
      });
    },
    onEnded(jobId) {
      const current = running.get(jobId);
      if (current) abort(current);
    },
    lookAgain() {
      for (const current of running.values()) {
        isJobHeld(db, current.job).then(
          (isHeld) => {
            if (!isHeld) abort(current);
          },
          (error: unknown) => {
            onError(error, 'jobs');
          },
        );
      }
    },
    async giveUp({ jobId }) {
      const job = await takeJob(db, jobId);
      if (job) await giveUp(job, new Error('The journal has given up this job.'));
    },
    retire() {
      leaving.abort(new Error('This process is about to stop.'));
    },
    isBusy: () => running.size > 0 && !isClosed,
    close() {
      isClosed = true;
      running.forEach(abort);
      execute = undefined;
    },
  };
}

/** Leaves a job where it is, for another process to take over. */
function forever(): Promise<never> {
  return new Promise(() => undefined);
}
