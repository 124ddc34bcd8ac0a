import { migrateRuns } from '@lamb/runs';
import { migrate } from '@lamb/store';
import { readMigrationConfig } from './config.ts';

const { ownerDatabaseUrl } = readMigrationConfig(process.env);
const applied = await migrate(ownerDatabaseUrl);
await migrateRuns(ownerDatabaseUrl);
process.stdout.write(applied.length === 0 ? 'The database is up to date.\n' : `Applied: ${applied.join(', ')}\n`);
