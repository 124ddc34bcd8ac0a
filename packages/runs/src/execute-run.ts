import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';
import { AppError, type RunEvent } from '@lamb/contract';
import {
  executeTurn,
  type EventBody,
  type NumberEvent,
  type Plan,
  type RunStep,
  type StepScope,
  type TurnEnd,
  type TurnPorts,
  type TurnRequest,
} from '@lamb/engine';
import {
  beginRunEffect,
  endRun,
  isDatabaseGone,
  retryWhileDatabaseIsGone,
  setRunStatus,
  withTenant,
  type Db,
  type StoredRun,
} from '@lamb/store';
import { sql } from 'kysely';
import { createDeadline } from './create-deadline.ts';
import { LeaseLost, type EventLog, type RunFile } from './create-event-log.ts';
import { isRunEnd } from './is-run-end.ts';
import { readRunEnd } from './read-run-end.ts';
import { toStorableText } from './to-storable-text.ts';

/** What the server makes of a stored run, so that it can be executed. */
export interface PreparedRun {
  readonly plan: Plan;
  readonly request: TurnRequest;
  readonly ports: Omit<TurnPorts, 'signal' | 'approve'>;
  /** Hears every event as it happens in this process, before it is committed. */
  readonly observe: (event: RunEvent) => void;
  /** Told when this process is done with the run, whether it has ended or somebody else goes on with it. */
  readonly leave: () => void;
  /** Resolves when all that was booked so far is kept. */
  readonly booked: () => Promise<void>;
}

/** A run and the organisation it belongs to. */
export interface OwnedRun extends StoredRun {
  readonly organizationId: string;
}

export type Decision =
  { readonly callId: string; readonly decision: 'approved' | 'rejected' } | { readonly cancelled: true };

/** The topic under which decisions are sent to a run. */
export const DECISIONS = 'decisions';

/** One process's attempt at a run. */
export interface RunAttempt {
  readonly run: OwnedRun;
  readonly file: RunFile;
  /** How often each step was begun before. */
  readonly attempts: Map<string, number>;
  /** Whether it was said how the run ends, by this attempt or an earlier one. */
  hasEnded: boolean;
  readonly number: NumberEvent;
  readonly controller: AbortController;
  readonly prepare: (run: OwnedRun, signal: AbortSignal) => PreparedRun | Promise<PreparedRun>;
  /** Told when it begins and stops waiting for a person. */
  readonly onWaiting: (isWaiting: boolean) => void;
}

interface Tools {
  readonly db: Db;
  readonly log: EventLog;
  readonly onError: (error: unknown, what: string) => void;
  /** Whether this process has left the execution of runs: what fails from then on says nothing about them. */
  readonly isClosed: () => boolean;
}

const APPROVAL_WAIT_SECONDS = 30 * 86_400;
const MAX_RESTARTS = 5;

/** Executes a run to its end, from where earlier attempts had left it. To be called within its workflow. */
export async function executeRun(attempt: RunAttempt, tools: Tools): Promise<void> {
  const { run, controller } = attempt;
  let prepared: PreparedRun | undefined;
  try {
    if (attempt.hasEnded) {
      // All was said, but whoever said it died before it was written down as done: nothing may be said anew.
      await finishRun(attempt, await retryWhileDatabaseIsGone(() => readRunEnd(tools.db, run)), tools);
      return;
    }
    prepared = await retryWhileDatabaseIsGone(async () => await attempt.prepare(run, controller.signal));
    await finishRun(attempt, await takeTurn(attempt, prepared, tools), tools);
  } catch (error) {
    if (tools.isClosed()) await forever();
    if (error instanceof DBOSWorkflowConflictError) throw error;
    if (error instanceof LeaseLost) throw new DBOSWorkflowConflictError(run.id);
    await failRun(attempt, error, tools, prepared?.observe);
  } finally {
    prepared?.leave();
  }
}

/** Ends a run that cannot go on, so that nobody waits for it. */
export async function failRun(
  attempt: RunAttempt,
  error: unknown,
  tools: Tools,
  observe: PreparedRun['observe'] = () => undefined,
): Promise<void> {
  const { run, file, attempts, number } = attempt;
  const { log, onError } = tools;
  if (!(error instanceof AppError)) onError(error, `run ${run.id} failed`);
  if (attempt.hasEnded) {
    await finishRun(attempt, await retryWhileDatabaseIsGone(() => readRunEnd(tools.db, run)), tools);
    return;
  }
  const { code, message, details } = error instanceof AppError ? error : new AppError('internal_error');
  const end = number('end', (attempts.get('end') ?? 0) + 1, { type: 'run.failed', code, message, details });
  log.append(file, end);
  observe(end);
  try {
    await log.committed(file);
  } catch (refusal) {
    if (refusal instanceof LeaseLost) throw new DBOSWorkflowConflictError(run.id);
    onError(refusal, `events of run ${run.id}`);
  }
  await finishRun(attempt, { status: 'failed', text: '' }, tools);
}

/** Writes down how a run ended, once. */
async function finishRun({ run, file }: RunAttempt, { status, text }: TurnEnd, { db }: Tools): Promise<void> {
  const { id, chatId, organizationId } = run;
  const message = { role: 'assistant', content: toStorableText(text) };
  const answer = chatId !== null && status === 'finished' ? { chatId, message } : undefined;
  const outcome = await retryWhileDatabaseIsGone(() =>
    endRun(db, organizationId, { id, epoch: file.epoch, status, answer }),
  );
  if (outcome === 'lost') throw new DBOSWorkflowConflictError(run.id);
}

async function takeTurn(attempt: RunAttempt, prepared: PreparedRun, tools: Tools): Promise<TurnEnd> {
  const { run, controller } = attempt;
  const { plan, request, ports } = prepared;
  const deadline = createDeadline(plan.deadlineMs, controller);
  const decided = new Map<string, 'approved' | 'rejected'>();
  /** Set when another process has taken over: then nothing more may be said or journaled here. */
  let conflict: DBOSWorkflowConflictError | undefined;
  const unlessTakenOver = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (conflict) throw conflict;
    try {
      return await work();
    } catch (error) {
      if (tools.isClosed()) await forever();
      if (error instanceof DBOSWorkflowConflictError) conflict = error;
      throw error;
    }
  };

  const step: RunStep = (name, work) =>
    unlessTakenOver(() => DBOS.runStep(() => takeStep(name, work, attempt, prepared, tools), { name }));

  const setStatus = (status: 'running' | 'waiting') =>
    retryWhileDatabaseIsGone(() => withTenant(tools.db, run.organizationId, (tx) => setRunStatus(tx, run.id, status)));
  const approve = async (callId: string): Promise<'approved' | 'rejected'> => {
    const known = decided.get(callId);
    if (known) return known;
    deadline.pause();
    await setStatus('waiting');
    attempt.onWaiting(true);
    try {
      for (;;) {
        const message = await unlessTakenOver(() =>
          DBOS.recv<Decision>(DECISIONS, { timeoutSeconds: APPROVAL_WAIT_SECONDS }),
        );
        if (message === null) return 'rejected';
        if ('cancelled' in message) controller.abort(new Error('The run was cancelled.'));
        else decided.set(message.callId, message.decision);
        controller.signal.throwIfAborted();
        const decision = decided.get(callId);
        if (decision) return decision;
      }
    } finally {
      attempt.onWaiting(false);
      deadline.resume();
      if (!conflict) await setStatus('running');
    }
  };

  try {
    return await executeTurn(plan, request, { ...ports, step, approve, signal: controller.signal });
  } finally {
    deadline.clear();
  }
}

/** Takes one step, again when the database went away under it: all that a step does bears repetition or says that it does not. */
async function takeStep<Result>(
  name: string,
  work: (scope: StepScope) => Promise<Result>,
  current: RunAttempt,
  { observe, booked }: PreparedRun,
  { db, log }: Tools,
): Promise<Result> {
  const { run, file, attempts, number, controller } = current;
  const { signal } = controller;
  const begin = async (): Promise<'fresh' | 'restarted'> => {
    // Repeated because its answer was lost, it finds its own mark: then nobody can tell, and the effect is not tried.
    const isFirst = await retryWhileDatabaseIsGone(() =>
      withTenant(db, run.organizationId, (tx) => beginRunEffect(tx, run.id, name)),
    );
    return isFirst ? 'fresh' : 'restarted';
  };
  for (let restarts = 0; ; restarts += 1) {
    const attempt = (attempts.get(name) ?? 0) + 1;
    attempts.set(name, attempt);
    const emit = (body: EventBody) => {
      const event = number(name, attempt, body);
      log.append(file, event);
      if (isRunEnd(event)) current.hasEnded = true;
      observe(event);
    };
    if (attempt > 1) emit({ type: 'step.restarted' });
    try {
      const result = await work({ emit, ready: () => undefined, begin, signal });
      // The log and the ledger are ahead of the journal: of a step that is recorded as done, nothing is told or booked later.
      await Promise.all([log.committed(file), booked()]);
      return result;
    } catch (error) {
      await committedUnlessLost(log, file);
      if (!isDatabaseGone(error) || signal.aborted || restarts === MAX_RESTARTS) throw error;
      await retryWhileDatabaseIsGone(() => sql`select 1`.execute(db), { signal });
    }
  }
}

/** Errors of a step that another process has taken over say nothing; that it has does. */
async function committedUnlessLost(log: EventLog, file: RunFile): Promise<void> {
  try {
    await log.committed(file);
  } catch (refusal) {
    if (refusal instanceof LeaseLost) throw new DBOSWorkflowConflictError(file.runId);
  }
}

/** Leaves a run where it is, for another process to take over. */
function forever(): Promise<never> {
  return new Promise(() => undefined);
}
