import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from './open-test-store.ts';
import { listRunTraces, putRunTrace } from './run-traces.ts';

let store: TestStore;

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

test('a trace is kept per step of a run, replaced by a second one, and stays in its organisation', async () => {
  const tenant = await store.addTenant();
  const other = await store.addTenant();
  const run = { runId: randomUUID(), assistantId: 7, userId: tenant.teacherId };
  const context = { ...run, step: 'context' };
  await tenant.run((tx) => putRunTrace(tx, { ...context, trace: { tools: [] } }));
  await tenant.run((tx) => putRunTrace(tx, { ...run, step: 'model:1', trace: { answer: 'a' } }));
  await tenant.run((tx) => putRunTrace(tx, { ...context, trace: { tools: [{ tool: 'x' }] } }));
  const kept = await tenant.run((tx) => listRunTraces(tx, run.runId));
  expect(kept.toSorted((left, right) => left.step.localeCompare(right.step))).toMatchObject([
    { ...context, trace: { tools: [{ tool: 'x' }] } },
    { ...run, step: 'model:1', trace: { answer: 'a' } },
  ]);
  expect(await other.run((tx) => listRunTraces(tx, run.runId))).toEqual([]);
  await expect(other.run((tx) => putRunTrace(tx, { ...context, trace: {} }))).rejects.toThrow('row-level security');
  expect(await tenant.run((tx) => listRunTraces(tx, randomUUID()))).toEqual([]);
});
