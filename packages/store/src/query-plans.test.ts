import { sql, type CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getAssistantAccess } from './assistant-access.ts';
import type { Db } from './database.ts';
import { listAssistants, type AssistantScope, type AssistantSort } from './list-assistants.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import type { TenantTx } from './with-tenant.ts';

// Under row-level security a condition reaches an index only when its operators are leakproof; `lower(name) = …` or
// `ilike` never do. On the small tables of a test the planner would scan anyway, so scanning is made expensive: what is
// then still not an index condition cannot become one on large tables either.

let store: TestStore;
let tenant: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
  tenant = await store.addTenant();
});

afterAll(() => store.close());

/** The plan of the query that `work` sends. */
async function explain(work: (tx: TenantTx) => Promise<unknown>): Promise<string> {
  return await tenant.run(async (tx) => {
    await sql`set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off`.execute(
      tx,
    );
    const execute = tx.executeQuery.bind(tx);
    let sent: CompiledQuery | undefined;
    const capture: Db['executeQuery'] = (query) => {
      if ('sql' in query) sent = query;
      return Promise.resolve({ rows: [] });
    };
    await work(Object.assign(tx, { executeQuery: capture }));
    if (sent === undefined) throw new Error('No query was sent.');
    const { rows } = await execute<{ 'QUERY PLAN': string }>({ ...sent, sql: `explain (costs off) ${sent.sql}` });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

const cursorOf = (sort: AssistantSort) =>
  Buffer.from(JSON.stringify([sort, sort === 'name' ? 'n' : new Date().toISOString(), '7'])).toString('base64url');

const column = { updated: 'updated_at', created: 'created_at', name: 'name' };

for (const scope of ['mine', 'published', 'organization'] as const) {
  for (const sort of ['updated', 'created', 'name'] as const) {
    // A person's own assistants are few: they are found by an index and sorted.
    const sorted = scope === 'mine' && sort !== 'updated';
    test(`${scope} by ${sort}: the organisation and the cursor are conditions of an index in this order`, async () => {
      const plan = await explain((tx) =>
        listAssistants(tx, { viewerId: tenant.teacherId, scope, sort, limit: 10, cursor: cursorOf(sort) }),
      );
      expect(plan).not.toContain('Seq Scan');
      expect(plan).toMatch(/Index Cond: \([^\n]*organization_id = \$\d/);
      if (!sorted) expect(plan).toMatch(new RegExp(`Index Cond: [^\\n]*ROW\\([a-z_.]*${column[sort]}, [a-z_.]*id\\)`));
    });
  }
}

test.each<AssistantScope>(['shared', 'visible'])('%s: every branch starts from an index', async (scope) => {
  const plan = await explain((tx) =>
    listAssistants(tx, { viewerId: tenant.teacherId, scope, sort: 'updated', limit: 10 }),
  );
  expect(plan).not.toContain('Seq Scan');
  expect(plan).toMatch(/Index Cond: \(\(?user_id = /);
});

test('an assistant and the access to it are found by primary keys', async () => {
  const plan = await explain((tx) => getAssistantAccess(tx, 7, tenant.teacherId));
  expect(plan).not.toContain('Seq Scan');
});
