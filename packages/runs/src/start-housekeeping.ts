import { forgetRuns, keepRunEventPartitions, type Db } from '@lamb/store';
import { forgetJournal } from './forget-journal.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const JOURNAL_KEPT_MS = DAY_MS;

/** Makes room for the events of the coming days, and removes what need not be kept any longer, every hour. Returns how to stop. */
export async function startHousekeeping(
  db: Db,
  retentionDays: number,
  onError: (error: unknown) => void,
): Promise<() => void> {
  const keepPartitions = (now: number) => keepRunEventPartitions(db, dayOf(now), retentionDays);
  const keepHouse = async (now: number): Promise<void> => {
    await keepPartitions(now);
    await forgetRuns(db, dayOf(now - retentionDays * DAY_MS));
    await forgetJournal(db, new Date(now - JOURNAL_KEPT_MS));
  };
  const keepHouseNow = () => {
    keepHouse(Date.now()).catch(onError);
  };
  // Without them nothing can be recorded.
  await keepPartitions(Date.now());
  // A process that is restarted often gets to the rest too; not before it has begun to serve.
  const first = setTimeout(keepHouseNow, MINUTE_MS).unref();
  const others = setInterval(keepHouseNow, HOUR_MS).unref();
  return () => {
    clearTimeout(first);
    clearInterval(others);
  };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
