import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from './open-test-store.ts';
import { getRunTrace, putRunTrace } from './run-traces.ts';

let store: TestStore;

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

test('a trace is kept per run, replaced by a second one, and stays in its organisation', async () => {
  const tenant = await store.addTenant();
  const other = await store.addTenant();
  const run = { runId: randomUUID(), assistantId: 7, userId: tenant.teacherId };
  await tenant.run((tx) => putRunTrace(tx, { ...run, trace: { tools: [] } }));
  await tenant.run((tx) => putRunTrace(tx, { ...run, trace: { tools: [{ tool: 'x' }] } }));
  expect(await tenant.run((tx) => getRunTrace(tx, run.runId))).toMatchObject({
    ...run,
    trace: { tools: [{ tool: 'x' }] },
  });
  expect(await other.run((tx) => getRunTrace(tx, run.runId))).toBeUndefined();
  await expect(other.run((tx) => putRunTrace(tx, { ...run, trace: {} }))).rejects.toThrow('row-level security');
  expect(await tenant.run((tx) => getRunTrace(tx, randomUUID()))).toBeUndefined();
});
