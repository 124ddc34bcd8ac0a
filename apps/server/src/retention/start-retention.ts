import { forgetRuns } from '@lamb/store';
import type { Services } from '../services.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Removes what need not be kept of runs any longer, now and every hour. Returns how to stop. */
export function startRetention({ db, config, log }: Pick<Services, 'db' | 'config' | 'log'>): () => void {
  const forget = () => {
    const before = new Date(Date.now() - config.runRetentionDays * DAY_MS).toISOString().slice(0, 10);
    forgetRuns(db, before).catch((error: unknown) => {
      log.error({ err: error }, 'old runs could not be removed');
    });
  };
  // A process that is restarted often gets to it, too; not before it has begun to serve.
  const first = setTimeout(forget, HOUR_MS / 60).unref();
  const others = setInterval(forget, HOUR_MS).unref();
  return () => {
    clearTimeout(first);
    clearInterval(others);
  };
}
