import { DBOS, Error as DbosError } from '@dbos-inc/dbos-sdk';
import { DBOSJSON } from '@dbos-inc/dbos-sdk/internal/serialization';
import type { RunEvent } from '@lamb/contract';
import { listCallEvents, withTenant, type Db } from '@lamb/store';
import { sql } from 'kysely';
import { DECISIONS, type Decision, type OwnedRun } from './execute-run.ts';

type Verdict = 'approved' | 'rejected';

/**
 * Decides about a call that waits for approval, wherever its run is executed, and gives the decision that counts: the first
 * one. Undefined: there is no such call that waits or has waited.
 */
export async function decideCall(
  db: Db,
  run: OwnedRun,
  callId: string,
  verdict: Verdict,
): Promise<Verdict | undefined> {
  const told = (await withTenant(db, run.organizationId, (tx) => listCallEvents(tx, run, callId))) as RunEvent[];
  if (!told.some(({ type }) => type === 'call.approval_required')) return undefined;
  const end = told.find((event) => event.type === 'call.finished');
  if (end) return end.outcome === 'rejected' ? 'rejected' : 'approved';
  if (run.status !== 'running' && run.status !== 'waiting') return undefined;
  // The key makes a second decision disappear; what is there afterwards is the first.
  await sendToRun(run, { callId, decision: verdict }, `${run.id}:${callId}`);
  return await readDecision(db, run, callId);
}

/** Sends something to the workflow of a run. */
export async function sendToRun(run: { readonly id: string }, decision: Decision, key?: string): Promise<void> {
  try {
    await DBOS.send<Decision>(run.id, decision, DECISIONS, key);
  } catch (error) {
    // Ended so long ago that the journal has forgotten it: there is nothing left to decide.
    if (!(error instanceof DbosError.DBOSNonExistentWorkflowError)) throw error;
  }
}

async function readDecision(db: Db, run: OwnedRun, callId: string): Promise<Verdict | undefined> {
  const { rows } = await sql<{ message: string }>`
    select message from dbos.notifications
    where destination_uuid = ${run.id} and topic = ${DECISIONS}`.execute(db);
  const decisions = rows.map(({ message }) => DBOSJSON.parse(message) as Decision);
  return decisions.flatMap((each) => ('callId' in each && each.callId === callId ? [each.decision] : []))[0];
}
