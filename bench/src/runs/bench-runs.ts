import { migrateRuns } from '@lamb/runs';
import { migrate } from '@lamb/store';
import { createTestDatabase, startCluster } from '@lamb/testing';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { percentile } from '../load/percentile.ts';

const CONCURRENT = 50;
const run = promisify(execFile);

interface Round {
  readonly bare: number;
  readonly tuned: number;
  readonly lamb: number;
}

/**
 * Durable runs a second (context, model turn, one tool, model turn, with every event logged and read) against bare DBOS
 * with as many steps: as it comes, and with its statements prepared as LAMB prepares them. Each in its own process on one
 * database, in turns, so that what else the machine does hits all of them.
 */
export async function benchRuns({ isSmoke }: { isSmoke: boolean }): Promise<string> {
  const count = isSmoke ? 100 : 2000;
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
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      measured.push({
        bare: await measure('./bare-runs.ts', appUrl, count),
        lamb: await measure('./lamb-runs.ts', appUrl, count),
        tuned: await measure('./bare-runs.ts', appUrl, count, ['--tuned']),
      });
    }
    const median = (pick: (round: Round) => number) => percentile(measured.map(pick), 0.5);
    const list = (pick: (round: Round) => number) => measured.map((round) => pick(round).toFixed(2)).join(',');
    const ratio = ({ bare, lamb }: Round) => lamb / bare;
    const tunedRatio = ({ tuned, lamb }: Round) => lamb / tuned;
    const perSecond = (Object.keys(measured[0] ?? {}) as (keyof Round)[]).map(
      (name) => `${name}_per_s=${median((round) => round[name]).toFixed(0)}`,
    );
    return [
      `concurrent=${CONCURRENT} runs=${count} rounds=${rounds}`,
      perSecond.join(' '),
      `tuned_ratio=${median(tunedRatio).toFixed(2)} (${list(tunedRatio)})`,
      `ratio=${median(ratio).toFixed(2)} (${list(ratio)})`,
    ].join('\n');
  } finally {
    await cluster.stop();
  }
}

async function measure(file: string, url: string, count: number, more: string[] = []): Promise<number> {
  const path = new URL(file, import.meta.url).pathname;
  const args = ['--url', url, '--runs', String(count), '--concurrent', String(CONCURRENT), ...more];
  const { stdout } = await run(process.execPath, [path, ...args]);
  return Number(stdout.trim().split('\n').at(-1));
}
