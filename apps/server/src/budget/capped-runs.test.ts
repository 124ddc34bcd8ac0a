import { openDatabase, putBudgetCaps, withTenant, type Db } from '@lamb/store';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openHouse, type House } from '../runs/__fixtures__/open-house.ts';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';

let house: House;
let db: Db;
let servers: [ServerProcess, ServerProcess];
let organizationId: string;

beforeAll(async () => {
  house = await openHouse();
  db = openDatabase(house.database.appUrl, { maxConnections: 2 });
  const { id } = await db.selectFrom('auth.organization').select('id').executeTakeFirstOrThrow();
  organizationId = id;
  await setCap(1_000_000);
  servers = await Promise.all([house.startServer(), house.startServer()]);
}, 60_000);
afterAll(async () => {
  await db.destroy();
  await house.close();
});

const setCap = (tokens: number) =>
  withTenant(db, organizationId, (tx) => {
    const none = { tokens: null, micros: null };
    const organization = { tokens, micros: null };
    return putBudgetCaps(tx, { currency: 'EUR', organization, userDefault: none, users: [] }, new Date());
  });

const readSum = async (query: string): Promise<number> =>
  await withTenant(db, organizationId, async (tx) => {
    const { rows } = await sql.raw<{ sum: number | null }>(`select ${query}::integer as sum`).execute(tx);
    return rows[0]?.sum ?? 0;
  });
const readSpent = () => readSum('(select sum(total_tokens) from lamb.usage_ledger)');

async function endOf(runId: string, server: ServerProcess): Promise<string> {
  return await vi.waitFor(
    async () => {
      const { body } = await house.call(server, 'GET', `/lamb/v1/runs/${runId}/answer`);
      const { status, error } = body as { status: string; error: { code: string; message: string } | null };
      expect(status).not.toMatch(/running|waiting/);
      return error ? `${error.code}: ${error.message}` : status;
    },
    { timeout: 90_000, interval: 200 },
  );
}

test(
  '50 runs at once on two servers, against a cap for 20, of a model that would go on and on: no more than 20 are spent',
  { timeout: 180_000 },
  async () => {
    const { llm } = house;
    const talkative = { tokens: 20_000, firstDelayMs: 1500 };
    llm.script({ ...talkative, times: 'always' });
    const first = await house.startRun(servers[0], 'Tell me everything.');
    const call = await vi.waitFor(async () => {
      const reserved = await readSum('(select sum(tokens) from lamb.budget_reservations)');
      expect(reserved).toBeGreaterThan(0);
      return reserved;
    });
    expect(await endOf(first, servers[1])).toBe('finished');
    const before = await readSpent();
    // What is set aside is a bound: nothing of the prompt was forgotten, and the model was told where to stop.
    expect(before).toBeLessThanOrEqual(call);
    const cap = before + 20 * call;
    await setCap(cap);

    const runs = await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const server = servers[at % 2] ?? servers[0];
        const runId = await house.startRun(server, 'Tell me everything.');
        return await endOf(runId, server);
      }),
    );
    const ends = Map.groupBy(runs, (end) => end);
    expect([...ends.keys()].toSorted()).toEqual([
      expect.stringMatching(/^budget_exceeded: The organisation’s tokens for this month do not suffice/),
      'finished',
    ]);
    expect(ends.get('finished')?.length).toBeGreaterThanOrEqual(20);
    const spent = await readSpent();
    expect(spent).toBeLessThanOrEqual(cap);
    // Those that were let in spent what they could; had they been told no limit, it would have been five times as much.
    expect(spent).toBeGreaterThan(cap * 0.8);
    expect(llm.requests).toHaveLength(1 + (ends.get('finished')?.length ?? 0));
  },
);
