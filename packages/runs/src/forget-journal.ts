import type { Db } from '@lamb/store';
import { sql } from 'kysely';

const AT_ONCE = 500;

/**
 * Removes runs that ended before a moment from the journal, with all they had recorded. The journal is for finishing
 * runs; what is to be kept of them is in the log, the chats and the ledger.
 */
export async function forgetJournal(db: Db, before: Date): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from dbos.workflow_status where workflow_uuid in (
        select workflow_uuid from dbos.workflow_status
        where status in ('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
          and updated_at < ${before.getTime()}
        limit ${AT_ONCE} for update skip locked
      )`.execute(db);
    if (numAffectedRows < AT_ONCE) return;
  }
}
