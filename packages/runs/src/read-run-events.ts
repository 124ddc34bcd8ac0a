import type { RunEvent } from '@lamb/contract';
import { isRunOver, listRunEvents, retryWhileDatabaseIsGone, RUN_EVENT_PAGE, withTenant, type Db } from '@lamb/store';
import type { EventLog } from './create-event-log.ts';
import { isRunEnd } from './is-run-end.ts';
import type { RunWatcher } from './watch-runs.ts';

interface ReadableRun {
  readonly id: string;
  readonly organizationId: string;
  readonly startedOn: string;
}

/** When no word comes from the process that executes the run, look by oneself. */
const LOOK_AGAIN_MS = 2000;

/** A reader that is further behind reads from the log again, instead of keeping in memory what it has not taken. */
const MAX_LIVE = 2000;

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
  let live: RunEvent[] = [];
  let wake: () => void = () => undefined;
  let isStale = true;
  /** Whether to ask, when the log has nothing, if there will ever be more. */
  let isUnsure = true;
  let isOver = false;
  // Subscribed before the history is read, so that nothing falls between the two.
  const subscription = log.subscribe(run.id, (events) => {
    if (events.length === 0 || live.length + events.length > MAX_LIVE) {
      live = [];
      isStale = true;
    } else live.push(...events);
    wake();
  });
  if (subscription.history) {
    live.push(...subscription.history);
    isStale = false;
  }
  const stopWatching = watcher.watch(run.id, () => {
    // What this process writes itself comes from memory.
    if (log.isWriting(run.id)) return;
    isStale = true;
    wake();
  });
  const onAbort = () => {
    wake();
  };
  signal.addEventListener('abort', onAbort);
  const retry = <Result>(work: () => Promise<Result>) => retryWhileDatabaseIsGone(work, { signal });
  try {
    while (!signal.aborted) {
      const next = live.shift();
      if (next) {
        if (next.seq <= last) continue;
        if (next.seq === last + 1) {
          last = next.seq;
          yield next;
          if (isRunEnd(next)) return;
          continue;
        }
        // A gap means that another process wrote in between: the log has it, and this event too.
        isStale = true;
      }
      if (isStale) {
        isStale = false;
        const events = (await retry(() =>
          withTenant(db, run.organizationId, (tx) => listRunEvents(tx, run, last)),
        )) as RunEvent[];
        for (const event of events) {
          last = event.seq;
          yield event;
          if (isRunEnd(event)) return;
        }
        if (events.length === RUN_EVENT_PAGE) isStale = true;
        else if (events.length === 0 && isOver) return;
        else if (events.length === 0 && isUnsure) {
          isUnsure = false;
          // The end may have been written between the two questions, so the log is asked once more.
          isOver = await retry(() => isRunOver(db, run.id));
          isStale ||= isOver;
        }
        continue;
      }
      const timer = setTimeout(() => {
        isStale = true;
        isUnsure = true;
        wake();
      }, LOOK_AGAIN_MS);
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (live.length > 0 || isStale || signal.aborted) resolve();
      });
      clearTimeout(timer);
    }
  } finally {
    subscription.stop();
    stopWatching();
    signal.removeEventListener('abort', onAbort);
  }
}
