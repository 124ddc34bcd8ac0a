import { sql } from 'kysely';
import type { Db } from './database.ts';
import { withTenant, type TenantTx } from './with-tenant.ts';

/** In one transaction: others who write must not wait long. */
const AT_ONCE = 200;

/**
 * Removes what is kept of runs that began before a day and have ended, of all organisations: what they worked with, their
 * events and their traces. What is under way stays.
 */
export async function forgetRuns(db: Db, before: string): Promise<void> {
  const organizations = await db.selectFrom('auth.organization').select('id').execute();
  for (const { id } of organizations) {
    while ((await withTenant(db, id, (tx) => forgetSome(tx, before))) > 0);
  }
}

async function forgetSome(tx: TenantTx, before: string): Promise<number> {
  const runs = await deleteEndedRuns(tx, sql`r.started_on < ${before}::date`);
  // Of runs that were answered at once, traces are all there is.
  const { rows } = await sql`
    delete from lamb.run_traces where (run_id, step) in (
      select run_id, step from lamb.run_traces where created_at < ${before}::date limit ${AT_ONCE} for update skip locked
    ) returning run_id`.execute(tx);
  return runs + rows.length;
}

/** Removes the ended runs of a chat. */
export async function forgetChatRuns(tx: TenantTx, chatId: string): Promise<void> {
  while ((await deleteEndedRuns(tx, sql`r.chat_id = ${chatId}::uuid`)) > 0);
}

/** Events and effects go with their run. */
async function deleteEndedRuns(tx: TenantTx, which: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql`
    with ended as (
      select r.id from lamb.runs r
      where ${which} and r.status not in ('running', 'waiting')
        and not exists (select from ops.run_leases l where l.run_id = r.id)
      limit ${AT_ONCE} for update skip locked
    ), traces as (
      delete from lamb.run_traces where run_id in (select id from ended)
    )
    delete from lamb.runs where id in (select id from ended) returning id`.execute(tx);
  return rows.length;
}
