import { recordUsageBatch, type OrganizationUsage } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;
let evil: number;

const current = '/lamb/v1/organizations/current';

beforeAll(async () => {
  lamb = await startTestServer();
  const { north, south } = lamb;
  const created = await lamb.call(north.teacher, 'POST', '/lamb/v1/assistants', { name: '=HYPERLINK("x"),"y"' });
  evil = (created.body as { id: number }).id;
  const entry = (more: Partial<OrganizationUsage> & { day: string }): OrganizationUsage => ({
    organizationId: north.id,
    runId: randomUUID(),
    userId: north.teacher.id,
    assistantId: evil,
    connector: 'openai',
    model: 'gpt-4o',
    promptTokens: 10,
    completionTokens: 5,
    totalTokens: 15,
    estimated: false,
    outcome: 'finished',
    durationMs: 1,
    costMicros: 2,
    createdAt: new Date(`${more.day}T23:59:59.999Z`),
    ...more,
  });
  await recordUsageBatch(lamb.services.db, [
    entry({ day: '2026-03-01' }),
    entry({ day: '2026-03-01', userId: north.student.id, totalTokens: 100 }),
    entry({ day: '2026-03-03', model: '@SUM(1)', assistantId: null, totalTokens: 1 }),
    entry({ day: '2026-03-04' }),
    entry({ day: '2026-03-03', organizationId: south.id, userId: south.teacher.id, totalTokens: 7777 }),
  ]);
  await recordUsageBatch(lamb.services.db, [entry({ day: '2026-03-01' })]);
});
afterAll(async () => {
  await lamb.stop();
});

const series = async (query: string) =>
  (await lamb.call(lamb.north.admin, 'GET', `${current}/usage/series?from=2026-03-01&to=2026-03-03&${query}`)).body as {
    days: string[];
    sums: { calls: number; total_tokens: number; cost_micros: number };
    series: { key: string | null; label: string | null; calls: number; points: { total_tokens: number }[] }[];
  };
const lines = (body: Awaited<ReturnType<typeof series>>) =>
  body.series.map(({ key, label, points }) => [key, label, ...points.map((point) => point.total_tokens)]);

it('usage is drawn by day, in all and by assistant, model and user', async () => {
  const total = await series('');
  expect(total.days).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);
  expect(total.sums).toMatchObject({ calls: 4, total_tokens: 131, cost_micros: 8 });
  expect(lines(total)).toEqual([['total', null, 130, 0, 1]]);
  expect(lines(await series('by=user'))).toEqual([
    [lamb.north.student.id, lamb.north.student.email, 100, 0, 0],
    [lamb.north.teacher.id, lamb.north.teacher.email, 30, 0, 1],
  ]);
  expect(lines(await series('by=model'))).toEqual([
    ['openai/gpt-4o', null, 130, 0, 0],
    ['openai/@SUM(1)', null, 0, 0, 1],
  ]);
  expect(lines(await series('by=assistant'))).toEqual([
    [String(evil), '=HYPERLINK("x"),"y"', 130, 0, 0],
    [null, null, 0, 0, 1],
  ]);
  expect(lines(await series('by=user&top=1'))).toEqual([
    [lamb.north.student.id, lamb.north.student.email, 100, 0, 0],
    ['other', null, 30, 0, 1],
  ]);
});

it('a part of it is what was asked for, and nobody else’s', async () => {
  expect((await series(`user=${lamb.north.student.id}`)).sums.total_tokens).toBe(100);
  expect((await series(`assistant=${String(evil)}`)).sums.total_tokens).toBe(130);
  expect((await series('model=openai/gpt-4o')).sums.total_tokens).toBe(130);
  const [theirs, nobodys] = await Promise.all([
    series(`user=${lamb.south.teacher.id}`),
    series(`user=${randomUUID()}`),
  ]);
  expect(theirs).toEqual(nobodys);
});

it.each(['from=2026-02-30', 'from=2026-03-05&to=2026-03-01', 'from=2020-01-01&to=2026-01-01', 'by=day', 'top=0'])(
  'refuses %s',
  async (query) => {
    const reply = await lamb.call(lamb.north.admin, 'GET', `${current}/usage/series?${query}`);
    expect(reply.status).toBe(400);
  },
);

it('is exported as a table in which nothing is a formula', async () => {
  const reply = await lamb.call(lamb.north.admin, 'GET', `${current}/usage/export?from=2026-03-01&to=2026-03-03`);
  expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(reply.headers.get('content-disposition')).toBe('attachment; filename="usage-2026-03-01-2026-03-03.csv"');
  const rows = reply.text.trim().split('\r\n');
  expect(rows).toHaveLength(4);
  expect(reply.text).toContain(`"'=HYPERLINK(""x""),""y"""`);
  expect(reply.text).toContain(`"'@SUM(1)"`);
  expect(reply.text).not.toMatch(/(^|,)"?[=+@-]/m);
  expect(reply.text).not.toContain('7777');
  expect((await lamb.call(lamb.north.teacher, 'GET', `${current}/usage/export`)).status).toBe(403);
});

it('each member’s caps and use of this month are listed, and changed one by one', async () => {
  const { admin, student, teacher } = lamb.south;
  const users = `${current}/budgets/users`;
  await recordUsageBatch(lamb.services.db, [
    {
      organizationId: lamb.south.id,
      runId: randomUUID(),
      userId: student.id,
      assistantId: null,
      connector: 'openai',
      model: 'm',
      promptTokens: 40,
      completionTokens: 2,
      totalTokens: 42,
      estimated: false,
      outcome: 'finished',
      durationMs: 1,
      costMicros: 9,
    },
  ]);
  await lamb.call(admin, 'PUT', `${current}/budgets`, { user_default: { tokens: 500, cost_micros: null } });
  expect((await lamb.call(admin, 'PUT', `${users}/${teacher.id}`, { tokens: 9 })).status).toBe(204);
  expect((await lamb.call(admin, 'PUT', `${users}/${student.id}`, { tokens: 42 })).status).toBe(204);
  const list = async (search: string) => (await lamb.call(admin, 'GET', `${users}?search=${search}`)).body as unknown;
  expect(await list('student')).toMatchObject({
    items: [
      { user_id: student.id, caps: { tokens: 42, cost_micros: null }, own: true, used: { tokens: 42, cost_micros: 9 } },
    ],
  });
  expect((await lamb.call(student, 'GET', '/lamb/v1/me/budget')).body).toMatchObject({ left: { tokens: 0 } });
  expect((await lamb.call(admin, 'DELETE', `${users}/${student.id}`)).status).toBe(204);
  expect(await list('student')).toMatchObject({ items: [{ caps: { tokens: 500 }, own: false }] });
  expect(await list('teacher')).toMatchObject({ items: [{ caps: { tokens: 9 }, own: true }] });
  expect((await lamb.call(admin, 'PUT', `${users}/${lamb.north.student.id}`, { tokens: 1 })).status).toBe(404);
});
