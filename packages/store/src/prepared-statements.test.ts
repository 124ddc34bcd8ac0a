import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getAssistant } from './assistants.ts';
import { openDatabase } from './open-database.ts';
import { openTestStore, type TestStore } from './open-test-store.ts';
import { executePrepared } from './prepared-statements.ts';
import { findUserByEmail } from './users.ts';

let store: TestStore;

beforeEach(async () => {
  store = await openTestStore({ maxConnections: 1 });
});

afterEach(() => store.close());

const listStatements = async (): Promise<string[]> => {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(store.db);
  return rows.map((row) => row.statement);
};

test('a query of every request is parsed once per connection', async () => {
  expect(await listStatements()).toEqual([]);
  for (const email of ['a@example.org', 'b@example.org', 'c@example.org']) await findUserByEmail(store.db, email);
  const statements = await listStatements();
  expect(statements).toHaveLength(1);
  expect(statements[0]).toContain('"auth"."user"');
});

test('a column that a migration adds under a running process breaks nothing', async () => {
  const tenant = await store.addTenant();
  await tenant.run((tx) => getAssistant(tx, 1));
  const owner = openDatabase(store.database.ownerUrl);
  await sql`alter table lamb.assistants add column added_later text; alter table auth."user" add column later text`.execute(
    owner,
  );
  await owner.destroy();
  expect(await tenant.run((tx) => getAssistant(tx, 1))).toBeUndefined();
});

test('statements that are always different do not pile up on the server', async () => {
  for (let n = 0; n < 400; n++) {
    await executePrepared(store.db, store.db.selectFrom('auth.user').select('id').limit(sql.lit(n)));
  }
  expect((await listStatements()).length).toBeLessThanOrEqual(300);
});
