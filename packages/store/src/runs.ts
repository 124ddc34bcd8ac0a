import { AppError } from '@lamb/contract';
import { sql, type ColumnType, type Generated } from 'kysely';
import type { DbOrTx } from './database.ts';
import { explainRefusedText } from './explain-refused-text.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface RunTable {
  id: string;
  organization_id: Generated<string>;
  assistant_id: number;
  user_id: string;
  chat_id: string | null;
  status: Generated<RunStatus>;
  input: ColumnType<unknown, string, never>;
  started_on: ColumnType<string, string | undefined, never>;
  created_at: Generated<Date>;
  finished_at: Date | null;
}

export interface RunLeaseTable {
  run_id: string;
  epoch: Generated<number>;
  organization_id: string | null;
  created_at: Generated<Date>;
}

export interface RunEffectTable {
  run_id: string;
  step: string;
  organization_id: Generated<string>;
}

export type RunStatus = 'running' | 'waiting' | 'finished' | 'failed' | 'cancelled';

export interface StoredRun {
  id: string;
  assistantId: number;
  userId: string;
  chatId: string | null;
  status: RunStatus;
  /** What the run works with, as it was when it started. */
  input: unknown;
  /** The day its events are filed under, such as `2026-11-15`. */
  startedOn: string;
  createdAt: Date;
  finishedAt: Date | null;
}

export interface NewRun {
  id: string;
  assistantId: number;
  userId: string;
  chatId?: string | undefined;
  /** The message of the chat that it answers. */
  said?: unknown;
  /** The first of the chat's messages whose place it takes. */
  replacesFrom?: number | undefined;
  input: unknown;
  startedOn: string;
}

/**
 * Makes a run with its first lease, epoch 1, and with what it answers in its chat. `answer_under_way` while another answer
 * is being given there.
 */
export async function createRun(db: DbOrTx, organizationId: string, run: NewRun): Promise<void> {
  const { id, assistantId, userId, chatId = null, startedOn, replacesFrom = null } = run;
  const said = run.said === undefined ? null : JSON.stringify(run.said);
  const given = sql`${organizationId}::uuid, ${id}::uuid, ${assistantId}::bigint, ${userId}::uuid,
    ${chatId}::uuid, ${said}::jsonb, ${JSON.stringify(run.input)}::jsonb, ${startedOn}::date`;
  const query =
    chatId === null
      ? sql<{ begun: unknown }>`select lamb.begin_run(${given})`
      : sql<{ begun: unknown }>`select lamb.begin_run(${given}, ${replacesFrom}::bigint) as begun`;
  let rows;
  try {
    rows = await executePrepared(db, { compile: () => query.compile(db) });
  } catch (error) {
    throw explainRefusedText(error);
  }
  if (rows[0]?.begun === false) throw new AppError('answer_under_way');
}

export async function getRun(tx: TenantTx, id: string): Promise<StoredRun | undefined> {
  const [row] = await executePrepared(tx, selectRuns(tx).where('id', '=', id));
  return row;
}

/** The answer that is under way in a chat. */
export async function findActiveRun(tx: TenantTx, chatId: string): Promise<StoredRun | undefined> {
  return await selectRuns(tx)
    .where('chat_id', '=', chatId)
    .where('status', 'in', ['running', 'waiting'])
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The run that keeps others from being begun in a chat: one that has not been written down as ended, whatever its status. */
export async function findRunUnderWay(tx: TenantTx, chatId: string): Promise<StoredRun | undefined> {
  return await selectRuns(tx)
    .where('chat_id', '=', chatId)
    .where('id', 'in', tx.selectFrom('ops.run_leases').select('run_id'))
    .limit(1)
    .executeTakeFirst();
}

function selectRuns(tx: TenantTx) {
  return tx
    .selectFrom('lamb.runs')
    .select(['id', 'assistant_id as assistantId', 'user_id as userId', 'chat_id as chatId', 'status', 'input'])
    .select([sql<string>`to_char(started_on, 'YYYY-MM-DD')`.as('startedOn')])
    .select(['created_at as createdAt', 'finished_at as finishedAt']);
}

/** Changes the status of a run that has not ended. */
export async function setRunStatus(
  tx: TenantTx,
  id: string,
  status: Extract<RunStatus, 'running' | 'waiting' | 'cancelled'>,
): Promise<void> {
  const change = tx
    .updateTable('lamb.runs')
    .set({ status, finished_at: status === 'cancelled' ? sql<Date>`now()` : null })
    .where('id', '=', id)
    .where('status', 'in', ['running', 'waiting']);
  await executePrepared(tx, change);
}

export interface RunEnd {
  id: string;
  epoch: number;
  status: Extract<RunStatus, 'finished' | 'failed' | 'cancelled'>;
  /** What it says in its chat. */
  answer?: { chatId: string; message: unknown } | undefined;
}

/**
 * Ends a run, with its answer, and takes its lease away. `lost`: somebody else holds the lease, and nothing was changed;
 * `over`: nobody does, because the run has ended before.
 */
export async function endRun(
  db: DbOrTx,
  organizationId: string,
  { id, epoch, status, answer }: RunEnd,
): Promise<'ended' | 'lost' | 'over'> {
  const message = answer ? JSON.stringify(answer.message) : null;
  const query = sql<{ outcome: 'ended' | 'lost' | 'over' }>`select lamb.end_run(${organizationId}::uuid, ${id}::uuid,
    ${epoch}::integer, ${status}::text, ${answer?.chatId ?? null}::uuid, ${message}::jsonb) as outcome`;
  const [row] = await executePrepared(db, { compile: () => query.compile(db) });
  return row?.outcome ?? 'over';
}

/** Whether a run has ended and all that is to be said of it has been said. */
export async function isRunOver(db: DbOrTx, id: string): Promise<boolean> {
  const leases = await executePrepared(db, db.selectFrom('ops.run_leases').select('run_id').where('run_id', '=', id));
  return leases.length === 0;
}

/** Takes over the execution of a run; who executed it before no longer may. Returns the new epoch; undefined: it is over. */
export async function takeRunLease(db: DbOrTx, runId: string): Promise<number | undefined> {
  const lease = await db
    .updateTable('ops.run_leases')
    .set({ epoch: sql<number>`epoch + 1` })
    .where('run_id', '=', runId)
    .returning('epoch')
    .executeTakeFirst();
  return lease?.epoch;
}

/** Notes that an effect is about to be tried; false when an earlier attempt got as far as this. */
export async function beginRunEffect(tx: TenantTx, runId: string, step: string): Promise<boolean> {
  const begun = tx
    .insertInto('lamb.run_effects')
    .values({ run_id: runId, step })
    .onConflict((conflict) => conflict.columns(['run_id', 'step']).doNothing())
    .returning('run_id');
  return (await executePrepared(tx, begun)).length > 0;
}
