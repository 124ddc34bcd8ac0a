import type { NewJob } from '@lamb/store';
import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';

/** Word from other processes, over PostgreSQL's notifications. */
export interface RunWatcher {
  /**
   * Calls back when there is something new about a topic: events of a run, whose topic is its id, or what was told with
   * `tellNews`. Without news, something may have been missed. Returns how to stop.
   */
  watch(topic: string, onChange: OnChange): () => void;
  close(): Promise<void>;
}

type OnChange = (news?: string) => void;

interface Hearing {
  /** A run is to be cancelled, wherever it is executed. */
  readonly onCancel: (runId: string) => void;
  /** A job was made. */
  readonly onJobNew: (job: NewJob) => void;
  /** A job was ended, perhaps while it was executed. */
  readonly onJobEnd: (jobId: string) => void;
  /** The connection was away, and what was said meanwhile was not heard. */
  readonly onReconnect: () => void;
}

/** Listens on one connection for the whole process; when it breaks, a new one is opened, and everybody looks for what was missed. */
export function watchRuns(databaseUrl: string, { onCancel, onJobNew, onJobEnd, onReconnect }: Hearing): RunWatcher {
  const watchers = new Map<string, Set<OnChange>>();
  const closing = new AbortController();
  let client: pg.Client | undefined;

  const tell = (topic: string, news?: string) => {
    for (const onChange of watchers.get(topic) ?? []) onChange(news);
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
        else if (channel === 'lamb_job_new') onJobNew(JSON.parse(payload) as NewJob);
        else if (channel === 'lamb_job_end') onJobEnd(payload);
        else if (channel === 'lamb_news') {
          const [topic = '', news] = payload.split(' ');
          tell(topic, news);
        } else for (const runId of payload.split(',')) tell(runId);
      });
      client = next;
      try {
        await next.connect();
        await next.query(
          'listen lamb_run_events; listen lamb_run_cancel; listen lamb_job_new; listen lamb_job_end; listen lamb_news',
        );
        if (times > 0) onReconnect();
        for (const topic of watchers.keys()) tell(topic);
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
    watch(topic, onChange) {
      const own = watchers.get(topic) ?? new Set();
      watchers.set(topic, own.add(onChange));
      return () => {
        own.delete(onChange);
        if (own.size === 0 && watchers.get(topic) === own) watchers.delete(topic);
      };
    },
    async close() {
      closing.abort();
      await client?.end().catch(() => undefined);
      await listening;
    },
  };
}
