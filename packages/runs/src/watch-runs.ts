import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';

/** Word from other processes, over PostgreSQL's notifications. */
export interface RunWatcher {
  /** Calls back when another process has written events of this run. Returns how to stop. */
  watch(runId: string, onChange: () => void): () => void;
  /** Calls back when a run is to be cancelled, wherever it is executed. */
  onCancel(hear: (runId: string) => void): void;
  close(): Promise<void>;
}

/** Listens on one connection for the whole process; when it breaks, a new one is opened, and everybody looks for what was missed. */
export function watchRuns(databaseUrl: string): RunWatcher {
  const watchers = new Map<string, Set<() => void>>();
  const cancellers = new Set<(runId: string) => void>();
  let client: pg.Client | undefined;
  let closed = false;

  const tellAll = () => {
    for (const own of watchers.values()) for (const tell of own) tell();
  };
  const listen = async (): Promise<void> => {
    while (!closed) {
      const next = new pg.Client({ connectionString: databaseUrl, application_name: 'lamb-listen', keepAlive: true });
      const ended = new Promise<void>((resolve) => {
        next.once('end', resolve);
        next.once('error', () => {
          resolve();
        });
      });
      next.on('notification', ({ channel, payload = '' }) => {
        for (const runId of payload.split(',')) {
          if (channel === 'lamb_run_cancel') for (const hear of cancellers) hear(runId);
          else for (const tell of watchers.get(runId) ?? []) tell();
        }
      });
      try {
        await next.connect();
        await next.query('listen lamb_run_events; listen lamb_run_cancel');
        client = next;
        tellAll();
        await ended;
      } catch {
        // Said elsewhere: without a database nothing works. Here it is only tried again.
      }
      client = undefined;
      void next.end().catch(() => undefined);
      if (!isClosed()) await wait(200);
    }
  };
  const isClosed = () => closed;
  const listening = listen();

  return {
    watch(runId, onChange) {
      const own = watchers.get(runId) ?? new Set();
      watchers.set(runId, own.add(onChange));
      return () => {
        own.delete(onChange);
        if (own.size === 0) watchers.delete(runId);
      };
    },
    onCancel(hear) {
      cancellers.add(hear);
    },
    async close() {
      closed = true;
      await client?.end();
      await listening;
    },
  };
}
