import type { Tool } from '@lamb/plugin-kit';
import { requireIsolatedRole } from '@lamb/store';
import { createApp } from './app.ts';
import { compose } from './compose.ts';
import type { Config } from './config.ts';
import { keepIndexes } from './knowledge/keep-indexes.ts';
import { startRuns } from './runs/start-runs.ts';

const STOP_AFTER_MS = 30_000;
/** An answer that waits for somebody's approval would not end in time; its run goes on elsewhere. */
const ANSWERS_END_WITHIN_MS = 15_000;
const RUNS_END_WITHIN_MS = 10_000;

/** Runs the server in this process until it is told to stop. */
export async function startServer(config: Config, extra: { readonly tools?: readonly Tool[] } = {}): Promise<void> {
  const services = compose(config, extra);
  const { db, log } = services;
  await requireIsolatedRole(db);
  const runs = await startRuns(services);
  const leaveIndexes = keepIndexes(services);
  const app = await createApp({ ...services, runs });
  await app.listen({ host: config.host, port: config.port });
  log.info({ address: app.listeningOrigin }, 'LAMB is listening');

  /** Lets open answers and runs finish, then leaves. */
  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_AFTER_MS).unref();
    const cut = setTimeout(() => {
      app.server.closeAllConnections();
    }, ANSWERS_END_WITHIN_MS);
    leaveIndexes();
    await app.close();
    clearTimeout(cut);
    await runs.close(RUNS_END_WITHIN_MS);
    await services.close();
    // Runs that wait for somebody still wait here, with their timers; whoever takes them over does it anew.
    process.exit();
  };
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
}
