import { migrateRuns } from '@lamb/runs';
import { migrate } from '@lamb/store';
import { createTestDatabase, startCluster } from '@lamb/testing';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { percentile } from '../load/percentile.ts';

const CONCURRENT = 50;
const run = promisify(execFile);

/**
 * Durable runs a second (context, model turn, one tool, model turn, with every event logged and read) against bare DBOS
 * with as many steps. Each in its own process on one database, in turns, so that what else the machine does hits both.
 */
export async function benchRuns({ isSmoke }: { isSmoke: boolean }): Promise<string> {
  const count = isSmoke ? 100 : 1500;
  const rounds = isSmoke ? 1 : 5;
  const cluster = await startCluster();
  try {
    const { appUrl } = await createTestDatabase({
      clusterUrl: cluster.adminUrl,
      prepare: async (ownerUrl) => {
        await migrate(ownerUrl);
        await migrateRuns(ownerUrl);
      },
    });
    const measured: { bare: number; lamb: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      measured.push({
        bare: await measure('./bare-runs.ts', appUrl, count),
        lamb: await measure('./lamb-runs.ts', appUrl, count),
      });
    }
    const median = (pick: (round: { bare: number; lamb: number }) => number) => percentile(measured.map(pick), 0.5);
    const ratios = measured.map(({ bare, lamb }) => (lamb / bare).toFixed(2));
    return [
      `concurrent=${CONCURRENT} runs=${count} rounds=${rounds}`,
      `bare_per_s=${median(({ bare }) => bare).toFixed(0)} lamb_per_s=${median(({ lamb }) => lamb).toFixed(0)} ratios=${ratios.join(',')}`,
      `ratio=${median(({ bare, lamb }) => lamb / bare).toFixed(2)}`,
    ].join('\n');
  } finally {
    await cluster.stop();
  }
}

async function measure(file: string, url: string, count: number): Promise<number> {
  const path = new URL(file, import.meta.url).pathname;
  const args = ['--url', url, '--runs', String(count), '--concurrent', String(CONCURRENT)];
  const { stdout } = await run(process.execPath, [path, ...args]);
  return Number(stdout.trim().split('\n').at(-1));
}
