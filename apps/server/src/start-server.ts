import { requireIsolatedRole } from '@lamb/store';
import { createApp } from './app.ts';
import { compose } from './compose.ts';
import { readConfig } from './config.ts';
import { startRuns } from './runs/start-runs.ts';

const services = compose(readConfig(process.env));
const { config, db, log } = services;
await requireIsolatedRole(db);
const runs = await startRuns(services);
const app = await createApp({ ...services, runs });
await app.listen({ host: config.host, port: config.port });
log.info({ address: app.listeningOrigin }, 'LAMB is listening');

const STOP_AFTER_MS = 30_000;

/** Lets open answers finish, then leaves. */
async function stop(signal: string): Promise<void> {
  log.info({ signal }, 'stopping');
  setTimeout(() => process.exit(1), STOP_AFTER_MS).unref();
  await app.close();
  await runs.close();
  await services.close();
}

process.once('SIGTERM', (signal) => void stop(signal));
process.once('SIGINT', (signal) => void stop(signal));
