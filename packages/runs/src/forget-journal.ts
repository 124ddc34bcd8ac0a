import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Db } from '@lamb/store';
import { sql } from 'kysely';

const AT_ONCE = 500;

/**
 * Removes runs that ended before a moment from the journal, with all they had recorded. The journal is for finishing
 * runs; what is to be kept of them is in the log, the chats and the ledger.
 */
export async function forgetJournal(db: Db, before: Date): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      select workflow_uuid as id from dbos.workflow_status
      where status in ('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
        and updated_at < ${before.getTime()}
      limit ${AT_ONCE}`.execute(db);
    if (rows.length > 0) await DBOS.deleteWorkflows(rows.map(({ id }) => id));
    if (rows.length < AT_ONCE) return;
  }
}
