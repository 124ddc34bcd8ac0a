export { createRuns, type NewDurableRun, type Runs } from './create-runs.ts';
export type { OwnedRun, PreparedRun } from './execute-run.ts';
export type { JobAttempt, JobHandler, JobsOptions } from './execute-jobs.ts';
export { NamedStatementClient } from './named-statement-client.ts';
export { migrateRuns } from './migrate-runs.ts';
