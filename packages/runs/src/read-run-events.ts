import type { RunEvent } from '@lamb/contract';
import { listRunEvents, withTenant, type Db } from '@lamb/store';
import type { EventLog } from './create-event-log.ts';
import { retryWhileDatabaseIsGone } from './retry-while-database-is-gone.ts';
import type { RunWatcher } from './watch-runs.ts';

interface ReadableRun {
  readonly id: string;
  readonly organizationId: string;
  readonly startedOn: string;
}

const ends = new Set<RunEvent['type']>(['run.finished', 'run.failed', 'run.cancelled']);

/** When no word comes from the process that executes the run, look by oneself. */
const LOOK_AGAIN_MS = 2000;

/**
 * The events of a run after a number, until its end: first what is in the log, then what happens, from memory where the
 * run is executed in this process and from the log where it is not. Gap-free and without doubles.
 */
export async function* readRunEvents(
  { db, log, watcher }: { db: Db; log: EventLog; watcher: RunWatcher },
  run: ReadableRun,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let last = after;
  const live: RunEvent[] = [];
  let wake: () => void = () => undefined;
  let isStale = true;
  // Subscribed before the history is read, so that nothing falls between the two.
  const stopHearing = log.subscribe(run.id, (events) => {
    live.push(...events);
    wake();
  });
  const stopWatching = watcher.watch(run.id, () => {
    isStale = true;
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      const next = live.shift();
      if (next) {
        // A gap means that another process wrote in between: the log has it.
        if (next.seq === last + 1) {
          last = next.seq;
          yield next;
          if (ends.has(next.type)) return;
        } else if (next.seq > last) isStale = true;
        if (!isStale) continue;
      }
      if (isStale) {
        isStale = false;
        const events = await retryWhileDatabaseIsGone(() =>
          withTenant(db, run.organizationId, (tx) => listRunEvents(tx, run, last)),
        );
        for (const event of events as RunEvent[]) {
          last = event.seq;
          yield event;
          if (ends.has(event.type)) return;
        }
        if (events.length > 0) isStale = true;
        continue;
      }
      const timer = setTimeout(() => {
        isStale = true;
        wake();
      }, LOOK_AGAIN_MS);
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (live.length > 0 || signal.aborted) resolve();
      });
      clearTimeout(timer);
    }
  } finally {
    stopHearing();
    stopWatching();
    signal.removeEventListener('abort', onAbort);
  }
}
