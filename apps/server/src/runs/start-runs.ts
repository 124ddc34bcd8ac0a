import { createSplitter } from '@lamb/knowledge';
import { createRuns, type Runs } from '@lamb/runs';
import { createJobHandlers } from '../knowledge/create-job-handlers.ts';
import type { Services } from '../services.ts';
import { prepareRun } from './prepare-run.ts';

/** Starts executing durable runs, and jobs in the background, in this process. */
export async function startRuns(services: Services): Promise<Runs> {
  const { config, db, log } = services;
  const splitter = createSplitter();
  const runs = await createRuns({
    db,
    databaseUrl: config.databaseUrl,
    connections: config.journalConnections,
    retentionDays: config.runRetentionDays,
    prepare: (run, signal) => prepareRun(services, run, signal),
    jobs: { atOnce: config.jobsAtOnce, handlers: createJobHandlers(services, splitter) },
    onError: (error, what) => {
      log.error({ err: error }, what);
    },
  });
  return {
    ...runs,
    async close(withinMs) {
      await runs.close(withinMs);
      splitter.close();
    },
  };
}
