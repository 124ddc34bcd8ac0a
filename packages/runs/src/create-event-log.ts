import type { RunEvent } from '@lamb/contract';
import { appendRunEvents, type Db, type NewRunEvent } from '@lamb/store';
import { retryWhileDatabaseIsGone } from './retry-while-database-is-gone.ts';

/** Where a run's events are filed, and in whose name this process writes them. */
export interface RunFile {
  readonly runId: string;
  readonly organizationId: string;
  readonly startedOn: string;
  readonly epoch: number;
}

/** The log of what happens in runs: written in groups, read live by those who wait in this process. */
export interface EventLog {
  append(file: RunFile, event: RunEvent): void;
  /** Resolves when all that was appended so far is committed; rejects with `LeaseLost` when another process has taken over the run. */
  committed(runId: string): Promise<void>;
  /** Hears the events of a run right after they are committed. Returns how to stop. */
  subscribe(runId: string, hear: (events: readonly RunEvent[]) => void): () => void;
  close(): Promise<void>;
}

/** Another process has taken over the run; what this one still does of it no longer counts. */
export class LeaseLost extends Error {}

/** All events of this long go into one insert: one row a commit would cap a node at a few thousand tokens a second. */
const GROUP_MS = 20;
const MAX_GROUP = 2000;

/** Makes the event log. An event is delivered only after it is committed, so that nobody has seen a number that a crash could give away again. */
export function createEventLog(db: Db): EventLog {
  const listeners = new Map<string, Set<(events: readonly RunEvent[]) => void>>();
  const lost = new Set<string>();
  let waiting: { row: NewRunEvent; event: RunEvent }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (group: typeof waiting): Promise<void> => {
    for (let start = 0; start < group.length; start += MAX_GROUP) {
      const part = group.slice(start, start + MAX_GROUP);
      const refused = await retryWhileDatabaseIsGone(() =>
        appendRunEvents(
          db,
          part.map(({ row }) => row),
        ),
      );
      for (const runId of refused) lost.add(runId);
      deliver(part.filter(({ row }) => !refused.has(row.runId)).map(({ event }) => event));
    }
  };
  const deliver = (events: readonly RunEvent[]): void => {
    for (const [runId, own] of Map.groupBy(events, (event) => event.run_id)) {
      for (const hear of listeners.get(runId) ?? []) hear(own);
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const group = waiting;
    waiting = [];
    if (group.length > 0) writing = writing.then(() => write(group));
    return writing;
  };

  return {
    append(file, event) {
      waiting.push({ row: { ...file, seq: event.seq, event: JSON.stringify(event) }, event });
      timer ??= setTimeout(() => void flush(), GROUP_MS);
    },
    async committed(runId) {
      await flush();
      if (lost.delete(runId)) throw new LeaseLost(`Run ${runId} is executed by another process now.`);
    },
    subscribe(runId, hear) {
      const own = listeners.get(runId) ?? new Set();
      listeners.set(runId, own.add(hear));
      return () => {
        own.delete(hear);
        if (own.size === 0) listeners.delete(runId);
      };
    },
    close: flush,
  };
}
