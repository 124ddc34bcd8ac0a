import { isDatabaseGone, recordUsageBatch, type Db, type OrganizationUsage } from '@lamb/store';
import type { FastifyBaseLogger } from 'fastify';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** Books what was used, a moment later and many entries at a time, so that no answer waits for it. */
export interface UsageRecorder {
  record(entry: OrganizationUsage): void;
  /** Resolves when everything recorded so far is in the ledger. */
  flush(): Promise<void>;
}

const DELAY_MS = 50;
const TRY_AGAIN_MS = 300;
const PATIENCE_MS = 60_000;

/** Makes a usage recorder. Entries that the database does not take are reported to the operator with all that is needed to book them by hand. */
export function createUsageRecorder(db: Db, log: FastifyBaseLogger): UsageRecorder {
  let waiting: OrganizationUsage[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let next: Promise<void> | undefined;

  const write = async (entries: OrganizationUsage[]): Promise<void> => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let left = entries; left.length > 0;) {
      const unrecorded = await recordUsageBatch(db, left);
      const isWorthwhile = (error: unknown) => isDatabaseGone(error) && performance.now() < giveUpAt;
      for (const { entries: lost, error } of unrecorded.filter((group) => !isWorthwhile(group.error))) {
        log.error({ err: error, entries: lost }, 'usage could not be recorded');
      }
      left = unrecorded.filter(({ error }) => isWorthwhile(error)).flatMap((group) => group.entries);
      if (left.length > 0) await wait(TRY_AGAIN_MS);
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0 || next) return next ?? writing;
    // Many turns end while one write is under way: all of theirs go into the next.
    next = writing.then(async () => {
      const entries = waiting;
      waiting = [];
      next = undefined;
      writing = write(entries);
      await writing;
    });
    return next;
  };
  return {
    record(entry) {
      waiting.push({ id: randomUUID(), ...entry });
      timer ??= setTimeout(() => void flush(), DELAY_MS);
    },
    flush,
  };
}
