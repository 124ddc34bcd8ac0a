import { recordUsageBatch, type Db, type OrganizationUsage } from '@lamb/store';
import type { FastifyBaseLogger } from 'fastify';

/** Books what was used, a moment later and many entries at a time, so that no answer waits for it. */
export interface UsageRecorder {
  record(entry: OrganizationUsage): void;
  /** Resolves when everything recorded so far is in the ledger. */
  flush(): Promise<void>;
}

const DELAY_MS = 50;

/** Makes a usage recorder. Entries that the database does not take are reported to the operator with all that is needed to book them by hand. */
export function createUsageRecorder(db: Db, log: FastifyBaseLogger): UsageRecorder {
  let waiting: OrganizationUsage[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const write = async (entries: OrganizationUsage[]): Promise<void> => {
    for (const { entries: lost, error } of await recordUsageBatch(db, entries)) {
      log.error({ err: error, entries: lost }, 'usage could not be recorded');
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const entries = waiting;
    waiting = [];
    if (entries.length > 0) writing = writing.then(() => write(entries));
    return writing;
  };
  return {
    record(entry) {
      waiting.push(entry);
      timer ??= setTimeout(() => void flush(), DELAY_MS);
    },
    flush,
  };
}
