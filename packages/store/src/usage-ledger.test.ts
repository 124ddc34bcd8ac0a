import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import { recordUsage, recordUsageBatch, sumUsage, type UsageEntry } from './usage-ledger.ts';

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
  ...values,
});

const always = { from: new Date(0), to: new Date('2100-01-01') };

test('what is recorded is summed, by time, assistant and user', async () => {
  const early = new Date('2024-01-01T00:00:00Z');
  await tenant.run((tx) => recordUsage(tx, entry({ createdAt: early })));
  await tenant.run((tx) => recordUsage(tx, entry({ assistantId: null, userId: tenant.colleagueId, totalTokens: 100 })));
  const sum = (range: Partial<Parameters<typeof sumUsage>[1]>) =>
    tenant.run((tx) => sumUsage(tx, { ...always, ...range }));
  expect(await sum({})).toEqual({ runs: 2, promptTokens: 20, completionTokens: 10, totalTokens: 115 });
  expect(await sum({ to: early })).toEqual({ runs: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0 });
  expect(await sum({ from: early, to: new Date('2024-02-01') })).toMatchObject({ runs: 1, totalTokens: 15 });
  expect(await sum({ assistantId: 7 })).toMatchObject({ runs: 1, totalTokens: 15 });
  expect(await sum({ userId: tenant.colleagueId })).toMatchObject({ runs: 1, totalTokens: 100 });
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
