import type { ColumnType, Generated } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

export interface RunTraceTable {
  run_id: string;
  /** The step of the run that it tells of. */
  step: Generated<string>;
  organization_id: Generated<string>;
  assistant_id: number;
  user_id: string;
  trace: ColumnType<Record<string, unknown>, string, string>;
  created_at: Generated<Date>;
}

export interface StoredRunTrace {
  runId: string;
  step: string;
  assistantId: number;
  userId: string;
  trace: Record<string, unknown>;
  createdAt: Date;
}

/** Keeps what a step of a run recorded; a second time for the same step replaces it. */
export async function putRunTrace(tx: TenantTx, input: Omit<StoredRunTrace, 'createdAt'>): Promise<void> {
  const trace = JSON.stringify(input.trace);
  await tx
    .insertInto('lamb.run_traces')
    .values({ run_id: input.runId, step: input.step, assistant_id: input.assistantId, user_id: input.userId, trace })
    .onConflict((conflict) => conflict.columns(['run_id', 'step']).doUpdateSet({ trace }))
    .execute();
}

/** What the steps of a run recorded, in the order they first did. */
export async function listRunTraces(tx: TenantTx, runId: string): Promise<StoredRunTrace[]> {
  return await tx
    .selectFrom('lamb.run_traces')
    .select([
      'run_id as runId',
      'step',
      'assistant_id as assistantId',
      'user_id as userId',
      'trace',
      'created_at as createdAt',
    ])
    .where('run_id', '=', runId)
    .orderBy('created_at')
    .execute();
}
