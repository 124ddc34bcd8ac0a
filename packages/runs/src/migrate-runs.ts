import { migrateSystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database';

type Logger = Parameters<typeof migrateSystemDatabase>[1];

/** Prepares the journal's tables. To be run by the role that owns the database, after the store's own migrations. */
export async function migrateRuns(ownerUrl: string): Promise<void> {
  const silent = () => undefined;
  // What it would print is for the author of a workflow; failures are thrown either way.
  const logger = { info: silent, debug: silent, warn: silent, error: silent } as unknown as Logger;
  await migrateSystemDatabase(ownerUrl, logger, 'dbos', 'lamb_app');
}
