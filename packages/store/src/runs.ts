import { sql, type ColumnType, type Generated } from 'kysely';
import type { DbOrTx } from './database.ts';
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
  input: unknown;
  startedOn: string;
}

/** Makes a run with its first lease, epoch 1. */
export async function createRun(tx: TenantTx, run: NewRun): Promise<void> {
  await tx
    .with('run', (db) =>
      db
        .insertInto('lamb.runs')
        .values({
          id: run.id,
          assistant_id: run.assistantId,
          user_id: run.userId,
          chat_id: run.chatId ?? null,
          input: JSON.stringify(run.input),
          started_on: run.startedOn,
        })
        .returning('id'),
    )
    .insertInto('ops.run_leases')
    .columns(['run_id'])
    .expression((eb) => eb.selectFrom('run').select('run.id as run_id'))
    .execute();
}

export async function getRun(tx: TenantTx, id: string): Promise<StoredRun | undefined> {
  const [row] = await executePrepared(
    tx,
    tx
      .selectFrom('lamb.runs')
      .select(['id', 'assistant_id as assistantId', 'user_id as userId', 'chat_id as chatId', 'status', 'input'])
      .select([sql<string>`to_char(started_on, 'YYYY-MM-DD')`.as('startedOn')])
      .select(['created_at as createdAt', 'finished_at as finishedAt'])
      .where('id', '=', id),
  );
  return row;
}

/** Changes a run's status; one that has ended keeps its end. */
export async function setRunStatus(tx: TenantTx, id: string, status: RunStatus): Promise<void> {
  const ended = status === 'finished' || status === 'failed' || status === 'cancelled';
  await tx
    .updateTable('lamb.runs')
    .set({ status, finished_at: ended ? sql<Date>`now()` : null })
    .where('id', '=', id)
    .where('status', 'in', ['running', 'waiting'])
    .execute();
}

/** Takes over the writing of a run's events; who wrote them before no longer may. Returns the new epoch. */
export async function takeRunLease(db: DbOrTx, runId: string): Promise<number> {
  const { epoch } = await db
    .updateTable('ops.run_leases')
    .set({ epoch: sql<number>`epoch + 1` })
    .where('run_id', '=', runId)
    .returning('epoch')
    .executeTakeFirstOrThrow();
  return epoch;
}

/** Notes that an effect is about to be tried; false when an earlier attempt got as far as this. */
export async function beginRunEffect(tx: TenantTx, runId: string, step: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('lamb.run_effects')
    .values({ run_id: runId, step })
    .onConflict((conflict) => conflict.columns(['run_id', 'step']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
