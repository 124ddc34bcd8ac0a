import type { RunEvent } from '@lamb/contract';
import { toStorableText } from './to-storable-text.ts';
import { appendRunEvents, retryWhileDatabaseIsGone, type Db, type NewRunEvent } from '@lamb/store';

/** Where one attempt at a run files its events. */
export interface RunFile {
  readonly runId: string;
  readonly organizationId: string;
  readonly startedOn: string;
  readonly epoch: number;
  /** Called once when the log no longer takes this attempt's events. */
  readonly onRefused: (reason: Error) => void;
}

/** The log of what happens in runs: written in groups, read live by those who wait in this process. */
export interface EventLog {
  append(file: RunFile, event: RunEvent): void;
  /** Resolves when all that was appended so far is committed; rejects with `LeaseLost` when another process has taken over the run. */
  committed(file: RunFile): Promise<void>;
  /** Says that this process is about to write all events of a new run. */
  expect(runId: string): void;
  /** Says that it will not. */
  dismiss(runId: string): void;
  /** Whether the events of a run are written by this process, so that who listens here hears all of them. */
  isWriting(runId: string): boolean;
  /** Says that no more will be written under a file. */
  release(file: RunFile): void;
  /** Hears the events of a run right after they are committed; none at all means: look into the log. */
  subscribe(runId: string, hear: (events: readonly RunEvent[]) => void): Subscription;
  close(): Promise<void>;
}

export interface Subscription {
  /** All that was committed before, where that is still in memory. */
  readonly history: readonly RunEvent[] | undefined;
  stop(): void;
}

/** Another process has taken over the run; what this one still does of it no longer counts. */
export class LeaseLost extends Error {}

/** All events of this long go into one insert: one row a commit would cap a node at a few thousand tokens a second. */
const GROUP_MS = 20;
const MAX_GROUP = 2000;
/** The first events of a new run are kept in memory for who follows it from the start; later ones are few enough to be read. */
const MAX_HISTORY = 64;

interface Entry {
  readonly file: RunFile;
  readonly event: RunEvent;
}

/** Makes the event log. An event is delivered only after it is committed, so that nobody has seen a number that a crash could give away again. */
export function createEventLog(db: Db): EventLog {
  const listeners = new Map<string, Set<(events: readonly RunEvent[]) => void>>();
  const writers = new Map<string, RunFile>();
  const histories = new Map<string, RunEvent[]>();
  const refusals = new WeakMap<RunFile, Error>();
  const closing = new AbortController();
  let waiting: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | undefined;
  /** The write after the current one; all that gathers until then goes into it. */
  let next: Promise<void> | undefined;

  const refuse = (file: RunFile, reason: Error): void => {
    if (refusals.has(file)) return;
    refusals.set(file, reason);
    release(file);
    file.onRefused(reason);
    for (const hear of listeners.get(file.runId) ?? []) hear([]);
  };
  const release = (file: RunFile): void => {
    if (writers.get(file.runId) === file) writers.delete(file.runId);
    histories.delete(file.runId);
  };
  const write = async (group: readonly Entry[]): Promise<void> => {
    try {
      // However long the database is away: without it, nothing that the runs do now could be kept.
      const refused = await retryWhileDatabaseIsGone(() => appendRunEvents(db, group.map(toRow)), {
        patienceMs: Infinity,
        signal: closing.signal,
      });
      const lost = new Set(group.filter(({ file }) => refused.has(file.runId)).map(({ file }) => file));
      for (const file of lost) refuse(file, new LeaseLost(`Run ${file.runId} is executed by another process now.`));
      deliver(group.filter(({ file }) => !lost.has(file)));
    } catch (error) {
      const byFile = Map.groupBy(group, ({ file }) => file);
      const [only] = byFile.keys();
      if (byFile.size === 1 && only) refuse(only, error instanceof Error ? error : new Error(String(error)));
      // What one run says must not keep the others from being heard.
      else for (const own of byFile.values()) await write(own);
    }
  };
  const writeWaiting = async (): Promise<void> => {
    const group = waiting.filter(({ file }) => !refusals.has(file));
    waiting = [];
    for (let start = 0; start < group.length; start += MAX_GROUP) await write(group.slice(start, start + MAX_GROUP));
  };
  const deliver = (entries: readonly Entry[]): void => {
    for (const [runId, own] of Map.groupBy(entries, ({ event }) => event.run_id)) {
      const events = own.map(({ event }) => event);
      const history = histories.get(runId);
      if (history && history.push(...events) > MAX_HISTORY) histories.delete(runId);
      for (const hear of listeners.get(runId) ?? []) hear(events);
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (next) return next;
    if (waiting.length === 0) return current ?? Promise.resolve();
    const start = (): Promise<void> => {
      next = undefined;
      const writing = writeWaiting().finally(() => {
        if (current === writing) current = undefined;
      });
      return (current = writing);
    };
    if (!current) return start();
    return (next = current.then(start));
  };

  return {
    append(file, event) {
      if (refusals.has(file) || closing.signal.aborted) return;
      writers.set(file.runId, file);
      waiting.push({ file, event });
      timer ??= setTimeout(() => void flush(), GROUP_MS);
    },
    async committed(file) {
      await flush();
      const refusal = refusals.get(file);
      if (refusal) throw refusal;
    },
    expect: (runId) => void histories.set(runId, []),
    dismiss: (runId) => void histories.delete(runId),
    isWriting: (runId) => writers.has(runId) || histories.has(runId),
    release,
    subscribe(runId, hear) {
      const own = listeners.get(runId) ?? new Set();
      listeners.set(runId, own.add(hear));
      const history = histories.get(runId);
      return {
        history: history && [...history],
        stop() {
          own.delete(hear);
          if (own.size === 0 && listeners.get(runId) === own) listeners.delete(runId);
        },
      };
    },
    async close() {
      closing.abort();
      await flush();
    },
  };
}

function toRow({ file: { runId, organizationId, startedOn, epoch }, event }: Entry): NewRunEvent {
  return { runId, organizationId, startedOn, epoch, seq: event.seq, event: toStorableJson(event) };
}

/** JSON that PostgreSQL takes: models do send NUL and halves of characters, which `jsonb` refuses. */
function toStorableJson(event: RunEvent): string {
  const json = JSON.stringify(event);
  return /\\u(?:0000|d[89a-f])/i.test(json) ? JSON.stringify(event, replaceUnstorable) : json;
}

function replaceUnstorable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? toStorableText(value) : value;
}
