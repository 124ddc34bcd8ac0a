import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';

/** Word from other processes, over PostgreSQL's notifications. */
export interface RunWatcher {
  /** Calls back when events of this run have been written. Returns how to stop. */
  watch(runId: string, onChange: () => void): () => void;
  close(): Promise<void>;
}

interface Hearing {
  /** A run is to be cancelled, wherever it is executed. */
  readonly onCancel: (runId: string) => void;
  /** The connection was away, and what was said meanwhile was not heard. */
  readonly onReconnect: () => void;
}

/** Listens on one connection for the whole process; when it breaks, a new one is opened, and everybody looks for what was missed. */
export function watchRuns(databaseUrl: string, { onCancel, onReconnect }: Hearing): RunWatcher {
  const watchers = new Map<string, Set<() => void>>();
  const closing = new AbortController();
  let client: pg.Client | undefined;

  const tell = (runId: string) => {
    for (const onChange of watchers.get(runId) ?? []) onChange();
  };
  const listen = async (): Promise<void> => {
    for (let times = 0; !closing.signal.aborted; times += 1) {
      const next = new pg.Client({ connectionString: databaseUrl, application_name: 'lamb-listen', keepAlive: true });
      const ended = new Promise<void>((resolve) => {
        next.once('end', resolve);
        // More than one may come, and one that nobody hears would end the process.
        next.on('error', () => {
          resolve();
        });
      });
      next.on('notification', ({ channel, payload = '' }) => {
        if (channel === 'lamb_run_cancel') onCancel(payload);
        else for (const runId of payload.split(',')) tell(runId);
      });
      client = next;
      try {
        await next.connect();
        await next.query('listen lamb_run_events; listen lamb_run_cancel');
        if (times > 0) onReconnect();
        for (const runId of watchers.keys()) tell(runId);
        await ended;
      } catch {
        // Said elsewhere: without a database nothing works. Here it is only tried again.
      }
      void next.end().catch(() => undefined);
      await wait(200, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  const listening = listen();

  return {
    watch(runId, onChange) {
      const own = watchers.get(runId) ?? new Set();
      watchers.set(runId, own.add(onChange));
      return () => {
        own.delete(onChange);
        if (own.size === 0 && watchers.get(runId) === own) watchers.delete(runId);
      };
    },
    async close() {
      closing.abort();
      await client?.end().catch(() => undefined);
      await listening;
    },
  };
}
