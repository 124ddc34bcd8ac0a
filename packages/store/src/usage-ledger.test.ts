import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import {
  recordUsage,
  recordUsageBatch,
  sumUsage,
  sumUsageBy,
  type UsageEntry,
  type UsageGrouping,
} from './usage-ledger.ts';

let store: TestStore;
let tenant: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

beforeEach(async () => {
  tenant = await store.addTenant();
});

const entry = (values: Partial<UsageEntry> = {}): UsageEntry => ({
  runId: randomUUID(),
  userId: tenant.teacherId,
  assistantId: 7,
  connector: 'openai',
  model: 'gpt, "quoted"',
  promptTokens: 10,
  completionTokens: 5,
  totalTokens: 15,
  estimated: false,
  outcome: 'finished',
  durationMs: 1200,
  costMicros: 300,
  ...values,
});

const always = { from: new Date(0), to: new Date('2100-01-01') };

test('what is recorded is summed, by time, assistant and user', async () => {
  const early = new Date('2024-01-01T00:00:00Z');
  await tenant.run((tx) => recordUsage(tx, entry({ createdAt: early })));
  await tenant.run((tx) => recordUsage(tx, entry({ assistantId: null, userId: tenant.colleagueId, totalTokens: 100 })));
  const sum = (range: Partial<Parameters<typeof sumUsage>[1]>) =>
    tenant.run((tx) => sumUsage(tx, { ...always, ...range }));
  expect(await sum({})).toEqual({ runs: 2, promptTokens: 20, completionTokens: 10, totalTokens: 115, costMicros: 600 });
  expect(await sum({ to: early })).toEqual({
    runs: 0,
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    costMicros: 0,
  });
  expect(await sum({ from: early, to: new Date('2024-02-01') })).toMatchObject({ runs: 1, totalTokens: 15 });
  expect(await sum({ assistantId: 7 })).toMatchObject({ runs: 1, totalTokens: 15 });
  expect(await sum({ userId: tenant.colleagueId })).toMatchObject({ runs: 1, totalTokens: 100 });
});

test('several calls of one run are one run; groups are by day, assistant, model and user', async () => {
  const runId = randomUUID();
  const december = { createdAt: new Date('2024-12-31T23:59:59Z') };
  const january = { createdAt: new Date('2025-01-01T00:00:00Z') };
  for (const values of [
    { runId, ...december },
    { runId, model: 'small', costMicros: 1, totalTokens: 1, ...december },
    { assistantId: null, userId: tenant.colleagueId, costMicros: 50, ...january },
  ]) {
    await tenant.run((tx) => recordUsage(tx, entry(values)));
  }
  const by = async (grouping: UsageGrouping) =>
    (await tenant.run((tx) => sumUsageBy(tx, always, grouping))).map(
      ({ key, runs, totalTokens, costMicros }) => [key, runs, totalTokens, costMicros] as const,
    );
  expect(await tenant.run((tx) => sumUsage(tx, always))).toMatchObject({ runs: 2, totalTokens: 31, costMicros: 351 });
  expect(await by('day')).toEqual([
    ['2024-12-31', 1, 16, 301],
    ['2025-01-01', 1, 15, 50],
  ]);
  expect(await by('assistant')).toEqual([
    ['7', 1, 16, 301],
    [null, 1, 15, 50],
  ]);
  expect(await by('model')).toEqual([
    ['openai/gpt, "quoted"', 2, 30, 350],
    ['openai/small', 1, 1, 1],
  ]);
  expect(await by('user')).toEqual([
    [tenant.teacherId, 1, 16, 301],
    [tenant.colleagueId, 1, 15, 50],
  ]);
});

test('a batch puts each entry into its organisation, and a missing organisation spoils nothing', async () => {
  const other = await store.addTenant();
  const gone = randomUUID();
  const lost = { ...entry(), organizationId: gone };
  const unrecorded = await recordUsageBatch(store.db, [
    { ...entry(), organizationId: tenant.organizationId },
    lost,
    { ...entry({ assistantId: null }), organizationId: other.organizationId },
    { ...entry(), organizationId: tenant.organizationId },
  ]);
  expect(await tenant.run((tx) => sumUsage(tx, always))).toMatchObject({ runs: 2 });
  expect(await other.run((tx) => sumUsage(tx, always))).toMatchObject({ runs: 1 });
  expect(unrecorded.map((each) => each.entries)).toEqual([[lost]]);
  expect(unrecorded[0]?.error).toBeInstanceOf(Error);
  expect(await recordUsageBatch(store.db, [])).toEqual([]);
});
