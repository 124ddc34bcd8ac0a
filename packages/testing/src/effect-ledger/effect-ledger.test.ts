import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpawnedServer } from '../http/spawn-server.ts';
import { spawnEffectLedger } from './spawn-effect-ledger.ts';

let ledger: SpawnedServer;

beforeAll(async () => {
  ledger = await spawnEffectLedger();
});
afterAll(() => ledger.stop());

async function post(body: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${ledger.url}/effects`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

test('counts per key, keeps all in order, refuses what has no key', async () => {
  expect(await post({ key: 'run-1:call-1', what: 'a' })).toEqual({
    status: 201,
    body: { key: 'run-1:call-1', what: 'a', serial: 1, count: 1 },
  });
  await post({ key: 'run-1:call-2' });
  expect((await post({ key: 'run-1:call-1' })).body).toMatchObject({ serial: 3, count: 2 });
  expect((await post({ what: 'a' })).status).toBe(400);
  const all = (await (await fetch(`${ledger.url}/effects`)).json()) as { key: string }[];
  expect(all.map(({ key }) => key)).toEqual(['run-1:call-1', 'run-1:call-2', 'run-1:call-1']);
});
