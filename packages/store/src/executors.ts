import { sql, type Generated } from 'kysely';
import type { DbOrTx } from './database.ts';

export interface ExecutorTable {
  id: string;
  seen_at: Generated<Date>;
}

/** Says that a process is alive. */
export async function recordHeartbeat(db: DbOrTx, executorId: string): Promise<void> {
  await db
    .insertInto('ops.executors')
    .values({ id: executorId })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql<Date>`now()` }))
    .execute();
}

/** Says that a process has left of its own accord: nothing of it is under way any more. */
export async function recordDeparture(db: DbOrTx, executorId: string): Promise<void> {
  await db
    .updateTable('ops.executors')
    .set({ seen_at: sql<Date>`'epoch'` })
    .where('id', '=', executorId)
    .execute();
}

export interface Executor {
  id: string;
  state: 'alive' | 'silent' | 'left';
}

/** The processes that execute runs, and whether they were heard of within a time. */
export async function listExecutors(db: DbOrTx, withinMs: number): Promise<Executor[]> {
  return await db
    .selectFrom('ops.executors')
    .select([
      'id',
      sql<Executor['state']>`case
        when seen_at > now() - make_interval(secs => ${withinMs / 1000}) then 'alive'
        when seen_at = 'epoch' then 'left' else 'silent' end`.as('state'),
    ])
    .execute();
}

/** Forgets processes that have left or are dead. */
export async function forgetExecutors(db: DbOrTx, executorIds: readonly string[]): Promise<void> {
  if (executorIds.length === 0) return;
  await db
    .deleteFrom('ops.executors')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...executorIds]))))
    .execute();
}
