import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { putBudgetCaps, type BudgetCaps } from './budget-caps.ts';
import { readCounter } from './budget-counters.ts';
import { findBudgetMonth } from './budget-month.ts';
import { reserveBudget, settleBudget, type NewReservation } from './budgets.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import { recordUsage } from './usage-ledger.ts';

let store: TestStore;
let tenant: TestTenant;

beforeAll(async () => {
  store = await openTestStore({ maxConnections: 12 });
});

afterAll(() => store.close());

beforeEach(async () => {
  tenant = await store.addTenant();
});

const NOW = new Date('2026-03-15T12:00:00Z');
const APRIL = new Date('2026-04-01T00:00:00Z');
const none = { tokens: null, micros: null };

const setCaps = (caps: Partial<BudgetCaps>, now = NOW) =>
  tenant.run((tx) =>
    putBudgetCaps(tx, { currency: 'EUR', organization: none, userDefault: none, users: [], ...caps }, now),
  );

const reserve = (values: Partial<NewReservation> = {}) =>
  tenant.run((tx) =>
    reserveBudget(tx, {
      runId: randomUUID(),
      step: 'model:1',
      userId: tenant.teacherId,
      estimate: { tokens: 10, micros: 100 },
      holdMs: 60_000,
      now: NOW,
      ...values,
    }),
  );

const take = async (values: Partial<NewReservation> = {}): Promise<string> => {
  const made = await reserve(values);
  if ('refusal' in made) throw new Error(`Refused: ${JSON.stringify(made.refusal)}`);
  return made.id;
};

const settle = (id: string, tokens: number, micros = 0) => tenant.run((tx) => settleBudget(tx, id, { tokens, micros }));

const count = (subjectId = tenant.organizationId, now = NOW) =>
  tenant.run((tx) => readCounter(tx, subjectId, findBudgetMonth(now)));

test('of 50 at once, exactly the 20 that the cap allows get through', async () => {
  await setCaps({ organization: { tokens: 200, micros: null } });
  const users = await Promise.all(Array.from({ length: 5 }, () => store.addUser(tenant.organizationId)));
  const made = await Promise.all(Array.from({ length: 50 }, (_, at) => reserve({ userId: users[at % 5] ?? '' })));
  const refusals = made.flatMap((each) => ('refusal' in each ? [each.refusal] : []));
  expect(made.length - refusals.length).toBe(20);
  expect(new Set(refusals.map(({ cap, limit }) => `${cap} ${limit}`))).toEqual(new Set(['organization_tokens 200']));
  expect(refusals[0]?.until).toEqual(APRIL);
  expect(await count()).toMatchObject({ reserved: { tokens: 200, micros: 2000 } });
});

test('of 50 at once of one user, exactly the 20 of the user’s cap; the organisation loses nothing to the others', async () => {
  await setCaps({ organization: { tokens: 100_000, micros: null }, userDefault: { tokens: 200, micros: null } });
  const made = await Promise.all(Array.from({ length: 50 }, () => reserve()));
  expect(made.filter((each) => 'id' in each)).toHaveLength(20);
  expect(await count()).toMatchObject({ reserved: { tokens: 200 } });
  expect(await count(tenant.teacherId)).toMatchObject({ reserved: { tokens: 200 } });
  // Somebody else has a budget of their own.
  await take({ userId: tenant.colleagueId });
});

test('reserving and settling at the same time, also of what has expired, ends with the right sums and no deadlock', async () => {
  await setCaps({ organization: { tokens: 100, micros: null } });
  const users = [tenant.teacherId, tenant.colleagueId];
  const crashed = await Promise.all(
    Array.from({ length: 8 }, (_, at) => take({ userId: users[at % 2] ?? '', now: new Date(NOW.getTime() - 60_001) })),
  );
  let used = 0;
  await Promise.all([
    ...crashed.slice(0, 4).map(async (id) => {
      if (await settle(id, 1)) used += 1;
    }),
    ...Array.from({ length: 60 }, async (_, at) => {
      const made = await reserve({ userId: users[at % 2] ?? '' });
      if ('id' in made && (await settle(made.id, 1))) used += 1;
    }),
  ]);
  // Nobody stands in the way of what is left of the crashed ones; a full budget does.
  await Promise.all(Array.from({ length: 12 }, () => reserve()));
  const { settled } = await count();
  expect(settled.tokens).toBe(used);
  const [teacher, colleague] = [await count(users[0]), await count(users[1])];
  expect(teacher.settled.tokens + colleague.settled.tokens).toBe(used);
  const open = await tenant.run((tx) =>
    tx.selectFrom('lamb.budget_reservations').select('tokens').where('held', '=', true).execute(),
  );
  const { reserved } = await count();
  expect(reserved.tokens).toBe(open.length * 10);
  expect(teacher.reserved.tokens + colleague.reserved.tokens).toBe(reserved.tokens);
});

test('what is settled replaces what was set aside, more or less than that', async () => {
  await setCaps({ organization: { tokens: 100, micros: null } });
  const [first, second] = [await take(), await take()];
  expect(await settle(first, 3, 7)).toBe(true);
  expect(await count()).toEqual({ reserved: { tokens: 10, micros: 100 }, settled: { tokens: 3, micros: 7 } });
  expect(await settle(second, 90, 1)).toBe(true);
  expect(await count()).toEqual({ reserved: { tokens: 0, micros: 0 }, settled: { tokens: 93, micros: 8 } });
  expect(await count(tenant.teacherId)).toEqual(await count());
  expect(await reserve()).toMatchObject({ refusal: { cap: 'organization_tokens', limit: 100, taken: 93 } });
  await take({ estimate: { tokens: 7, micros: 0 } });
});

test('a second settlement changes nothing', async () => {
  await setCaps({ organization: { tokens: 100, micros: null } });
  const id = await take();
  const both = await Promise.all([settle(id, 5), settle(id, 5)]);
  expect(both.toSorted()).toEqual([false, true]);
  expect(await settle(id, 5)).toBe(false);
  expect(await count()).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: 5 } });
});

test('a step that is started again takes over its reservation', async () => {
  await setCaps({ organization: { tokens: 10, micros: null } });
  const runId = randomUUID();
  const former = [await take({ runId }), ...(await Promise.all([take({ runId }), take({ runId })]))];
  const id = await take({ runId });
  expect(new Set([...former, id]).size).toBe(4);
  expect(await reserve({ runId, step: 'model:2' })).toHaveProperty('refusal');
  for (const other of former) expect(await settle(other, 5)).toBe(false);
  expect(await count()).toMatchObject({ reserved: { tokens: 10 }, settled: { tokens: 0 } });
  expect(await settle(id, 5)).toBe(true);
  expect(await count()).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: 5 } });
});

test('a crashed process holds nothing once its reservation has expired; what it used after all still counts', async () => {
  await setCaps({ organization: { tokens: 10, micros: null } });
  const runId = randomUUID();
  const late = await take({ runId, holdMs: 60_000 });
  const then = new Date(NOW.getTime() + 60_001);
  expect(await reserve({ now: new Date(NOW.getTime() + 59_999) })).toHaveProperty('refusal');
  const next = await take({ now: then });
  expect(await count()).toMatchObject({ reserved: { tokens: 10 } });
  // The budget is somebody else's now.
  expect(await reserve({ runId, now: then })).toHaveProperty('refusal');
  expect(await settle(next, 4)).toBe(true);
  expect(await settle(late, 4)).toBe(false);
  const again = await take({ runId, now: then, estimate: { tokens: 2, micros: 0 } });
  const later = new Date(then.getTime() + 60_001);
  await take({ now: later, estimate: { tokens: 6, micros: 0 } });
  expect(await settle(again, 5)).toBe(true);
  expect(await count()).toMatchObject({ reserved: { tokens: 6 }, settled: { tokens: 9 } });
});

test('what is being settled at this moment is not waited for: whoever settles it waits for the counters', async () => {
  await setCaps({ organization: { tokens: 10, micros: null } });
  const late = await take();
  const then = new Date(NOW.getTime() + 60_001);
  const settled = await tenant.run(async (tx) => {
    await tx.selectFrom('lamb.budget_reservations').select('id').where('id', '=', late).forUpdate().execute();
    expect(await reserve({ now: then })).toHaveProperty('refusal');
    return await settleBudget(tx, late, { tokens: 3, micros: 0 });
  });
  expect(settled).toBe(true);
  expect(await count()).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: 3 } });
});

test('money has its own caps, and the refusal says which', async () => {
  await setCaps({
    organization: { tokens: null, micros: 350 },
    userDefault: { tokens: null, micros: 250 },
    users: [{ userId: tenant.colleagueId, tokens: 5, micros: null }],
  });
  await take();
  await take();
  expect(await reserve()).toEqual({ refusal: { cap: 'user_cost', limit: 250, taken: 200, until: APRIL } });
  expect(await reserve({ userId: tenant.colleagueId })).toMatchObject({ refusal: { cap: 'user_tokens', limit: 5 } });
  expect(await reserve({ estimate: { tokens: 0, micros: 151 } })).toMatchObject({
    refusal: { cap: 'organization_cost' },
  });
  await take({ userId: tenant.colleagueId, estimate: { tokens: 5, micros: 150 } });
});

test('a new month starts empty; what began in the old one ends there', async () => {
  await setCaps({ organization: { tokens: 10, micros: null } });
  const lastMoment = new Date(APRIL.getTime() - 1);
  const id = await take({ now: lastMoment });
  expect(await reserve({ now: lastMoment })).toMatchObject({ refusal: { until: APRIL } });
  await take({ now: APRIL });
  await settle(id, 8);
  expect(await count(undefined, lastMoment)).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: 8 } });
  expect(await count(undefined, APRIL)).toMatchObject({ reserved: { tokens: 10 }, settled: { tokens: 0 } });
  const december = new Date('2026-12-31T23:59:59.999Z');
  expect(findBudgetMonth(december)).toMatchObject({ day: '2026-12-01', until: new Date('2027-01-01T00:00:00Z') });
});

test('a cap that is set in the middle of a month counts what was used before', async () => {
  const entry = (userId: string, createdAt: Date) => ({
    runId: randomUUID(),
    userId,
    assistantId: 7,
    connector: 'openai',
    model: 'gpt',
    promptTokens: 30,
    completionTokens: 10,
    totalTokens: 40,
    costMicros: 4,
    estimated: false,
    outcome: 'finished',
    durationMs: 1,
    createdAt,
  });
  const book = (userId: string, createdAt: Date) => tenant.run((tx) => recordUsage(tx, entry(userId, createdAt)));
  await book(tenant.teacherId, NOW);
  await book(tenant.teacherId, new Date('2026-02-28T23:59:59Z'));
  await setCaps({ organization: { tokens: 60, micros: null } });
  await take();
  expect(await count()).toMatchObject({ reserved: { tokens: 10 }, settled: { tokens: 40, micros: 4 } });
  expect(await count(tenant.teacherId)).toMatchObject({ settled: { tokens: 40, micros: 4 } });
  // While there were no caps, nobody counted.
  await book(tenant.colleagueId, NOW);
  await setCaps({ organization: { tokens: 100, micros: null } });
  expect(await count()).toMatchObject({ reserved: { tokens: 10 }, settled: { tokens: 80, micros: 8 } });
  await take({ userId: tenant.colleagueId });
  expect(await reserve()).toHaveProperty('refusal');
});
