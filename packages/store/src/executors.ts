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

/** The processes that were alive a moment ago. */
export async function listLiveExecutors(db: DbOrTx, withinMs: number): Promise<string[]> {
  const rows = await db
    .selectFrom('ops.executors')
    .select('id')
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${withinMs / 1000})`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Forgets a process that has left, or is long dead. */
export async function forgetExecutors(db: DbOrTx, executorIds: readonly string[]): Promise<void> {
  await db
    .deleteFrom('ops.executors')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...executorIds]))))
    .execute();
}
