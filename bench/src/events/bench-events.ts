import { readCpuMicroseconds, spawnServer } from '@lamb/testing';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { Agent } from 'undici';
import { percentile } from '../load/percentile.ts';
import { startLamb } from '../load/start-lamb.ts';
import { readStampedStream } from './read-stamped-stream.ts';

interface Settings {
  readonly streams: number;
  readonly tokensPerSecond: number;
  readonly seconds: number;
  /** Over how long the streams are begun, so that beginning them is not what is measured. */
  readonly rampSeconds: number;
}

const full: Settings = { streams: 500, tokensPerSecond: 30, seconds: 40, rampSeconds: 15 };
const smoke: Settings = { streams: 20, tokensPerSecond: 30, seconds: 3, rampSeconds: 1 };

/** How late tokens are in durable streams whose every event is committed before anybody sees it. */
export async function benchEvents({ isSmoke }: { isSmoke: boolean }): Promise<string> {
  const { streams, tokensPerSecond, seconds, rampSeconds } = isSmoke ? smoke : full;
  const tokens = tokensPerSecond * seconds;
  const model = await spawnServer(new URL('./stamping-model.ts', import.meta.url), [
    '--tokens',
    String(tokens),
    '--interval-ms',
    String(1000 / tokensPerSecond),
  ]);
  const lamb = await startLamb({
    llmUrl: model.url,
    assistant: {
      template: '{user_input}',
      // With a function to call, a turn is durable.
      tools: () => [{ type: 'weather', mode: 'function', config: {} }],
    },
  });
  const dispatcher = new Agent({ connections: null, pipelining: 1 });
  const database = new pg.Client({ connectionString: lamb.adminUrl });
  await database.connect();
  try {
    const ask = {
      url: `${lamb.server.url}/v1/chat/completions`,
      key: lamb.key,
      dispatcher,
      body: { model: lamb.model, stream: true, messages: [{ role: 'user', content: 'Count.' }] },
    };
    const reading = Array.from({ length: streams }, async (_, index) => {
      await wait((index * rampSeconds * 1000) / streams);
      return await readStampedStream(ask, tokens);
    });
    // Whatever breaks is reported at the end; until then, it must not end the process.
    for (const stream of reading) stream.catch(() => undefined);
    await wait(rampSeconds * 1000);
    const measureMs = (seconds - rampSeconds) * 1000;
    const [before, cpu] = [await readActivity(database), await readCpuMicroseconds(lamb.server.pid)];
    const begunAt = performance.now();
    await wait(measureMs);
    const elapsed = (performance.now() - begunAt) / 1000;
    const after = await readActivity(database);
    const cores = ((await readCpuMicroseconds(lamb.server.pid)) - cpu) / 1e6 / elapsed;
    // What came while streams were still being begun, or already ended, is not the load that is asked about.
    const warm = tokensPerSecond * rampSeconds;
    const delays = (await Promise.all(reading)).flatMap((stream, index) => {
      const begunLater = rampSeconds * (1 - index / streams) * tokensPerSecond;
      return stream.slice(Math.floor(begunLater), tokens - warm + Math.floor(begunLater));
    });
    const { rows } = await database.query<{ rows: string; runs: string }>(
      `select count(*) as rows, count(distinct run_id) as runs from lamb.run_events`,
    );
    const [{ rows: logged, runs } = { rows: '0', runs: '0' }] = rows;
    return [
      `streams=${String(streams)} tokens_per_second=${String(tokensPerSecond)} seconds=${String(seconds - rampSeconds)}`,
      `tokens=${String(streams * tokens)} lost=0 events_logged=${logged} runs=${runs}`,
      `rows_per_s=${((after.rows - before.rows) / elapsed).toFixed(0)} commits_per_s=${((after.commits - before.commits) / elapsed).toFixed(0)} server_cores=${cores.toFixed(2)}`,
      `delay_ms p50=${percentile(delays, 0.5).toFixed(0)} p95=${percentile(delays, 0.95).toFixed(0)} p99=${percentile(delays, 0.99).toFixed(0)}`,
    ].join('\n');
  } finally {
    await database.end();
    await dispatcher.destroy();
    await Promise.all([lamb.stop(), model.stop()]);
  }
}

async function readActivity(database: pg.Client): Promise<{ commits: number; rows: number }> {
  const { rows } = await database.query<{ commits: string; rows: string }>(
    `select xact_commit as commits, tup_inserted as rows from pg_stat_database where datname = current_database()`,
  );
  return { commits: Number(rows[0]?.commits ?? 0), rows: Number(rows[0]?.rows ?? 0) };
}
