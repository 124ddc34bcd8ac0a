import type { Generated } from 'kysely';
import type { DbOrTx } from './database.ts';

export interface SessionTable {
  id: Generated<string>;
  userId: string;
  /** better-auth keeps it as text. */
  activeOrganizationId: string | null;
}

/** Makes an organisation the one that a session works in. Whether its person belongs there is asked at every request. */
export async function setActiveOrganization(db: DbOrTx, sessionId: string, organizationId: string): Promise<void> {
  await db
    .updateTable('auth.session')
    .set({ activeOrganizationId: organizationId })
    .where('id', '=', sessionId)
    .execute();
}
