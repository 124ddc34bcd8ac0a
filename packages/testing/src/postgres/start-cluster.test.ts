import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { connect } from './connect.ts';
import { startCluster } from './start-cluster.ts';

const readSetting = async (url: string, name: string): Promise<unknown> =>
  await connect(url, async (client) => {
    const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name]);
    return rows[0]?.value;
  });

test('a cluster answers on loopback without fsync and leaves nothing behind', async () => {
  const cluster = await startCluster();
  expect(await readSetting(cluster.adminUrl, 'max_connections')).toBe('200');
  expect(await readSetting(cluster.adminUrl, 'fsync')).toBe('off');
  expect(await readSetting(cluster.adminUrl, 'listen_addresses')).toBe('127.0.0.1');
  await cluster.stop();
  expect(existsSync(cluster.dataDir)).toBe(false);
  const client = new pg.Client({ connectionString: cluster.adminUrl });
  await expect(client.connect()).rejects.toThrow('ECONNREFUSED');
});

test('a cluster in a folder of ours keeps its rows over a restart', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'lamb-pg-kept-'));
  await chmod(parent, 0o755);
  const dataDir = join(parent, 'data');
  try {
    const first = await startCluster({ dataDir, fsync: true, settings: { work_mem: '7MB' } });
    expect(await readSetting(first.adminUrl, 'fsync')).toBe('on');
    expect(await readSetting(first.adminUrl, 'work_mem')).toBe('7MB');
    await connect(first.adminUrl, (client) => client.query('create table kept as select 42 as answer'));
    await first.stop();
    const second = await startCluster({ dataDir });
    const { rows } = await connect(second.adminUrl, (client) => client.query('select answer from kept'));
    expect(rows).toEqual([{ answer: 42 }]);
    await second.stop();
    expect(existsSync(dataDir)).toBe(true);
  } finally {
    await rm(parent, { recursive: true });
  }
});

test('a killed parent leaves no server and no folder', async () => {
  const program = `
    const { startCluster } = await import(${JSON.stringify(new URL('./start-cluster.ts', import.meta.url).href)});
    const cluster = await startCluster();
    console.log(JSON.stringify(cluster));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
  const { dataDir, adminUrl } = JSON.parse(line) as { dataDir: string; adminUrl: string };
  expect(await readSetting(adminUrl, 'fsync')).toBe('off');
  parent.kill('SIGKILL');
  await vi.waitFor(() => {
    expect(existsSync(dataDir)).toBe(false);
  }, 10_000);
});

test('a taken port is named, with the end of the log', async () => {
  const cluster = await startCluster();
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'lamb-pg-taken-'));
    await expect(startCluster({ port: cluster.port, dataDir, keep: false })).rejects.toThrow(
      new RegExp(`did not start on port ${cluster.port}[^]*could not bind`),
    );
    expect(existsSync(dataDir)).toBe(false);
  } finally {
    await cluster.stop();
  }
});
