import { createRuns, type Runs } from '@lamb/runs';
import type { Services } from '../services.ts';
import { prepareRun } from './prepare-run.ts';

/** Starts executing durable runs in this process. */
export async function startRuns(services: Services): Promise<Runs> {
  const { config, db, log } = services;
  return await createRuns({
    db,
    databaseUrl: config.databaseUrl,
    connections: config.journalConnections,
    retentionDays: config.runRetentionDays,
    prepare: (run, signal) => prepareRun(services, run, signal),
    onError: (error, what) => {
      log.error({ err: error }, what);
    },
  });
}
