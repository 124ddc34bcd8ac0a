export { createRuns, type NewDurableRun, type OwnedRun, type PreparedRun, type Runs } from './create-runs.ts';
export { migrateRuns } from './migrate-runs.ts';
