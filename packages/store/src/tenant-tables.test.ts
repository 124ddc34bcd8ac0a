import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from './open-database.ts';
import { openTestStore, type TestStore } from './open-test-store.ts';
import { requireIsolatedRole } from './require-isolated-role.ts';

let store: TestStore;

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

const tenantCondition =
  "(organization_id = ( SELECT (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid AS \"nullif\"))";

interface TableFacts {
  name: string;
  forced: boolean;
  owner: string;
  organizationRequired: boolean;
  policies: { kind: string; roles: string; using: string | null; check: string | null }[];
}

/** Every table is bound both ways, but for the event log: one insert carries many organisations' events, and a foreign key keeps each in its own. */
function expectedPolicies(table: string): TableFacts['policies'] {
  const tenant = { roles: '{public}', using: tenantCondition };
  if (table !== 'run_events') return [{ kind: 'ALL PERMISSIVE', ...tenant, check: tenantCondition }];
  return [
    { kind: 'SELECT PERMISSIVE', ...tenant, check: null },
    { kind: 'INSERT PERMISSIVE', roles: '{public}', using: null, check: 'true' },
  ];
}

async function readTables(): Promise<TableFacts[]> {
  const { rows } = await sql<TableFacts>`
    select
      c.relname as name,
      c.relrowsecurity and c.relforcerowsecurity as forced,
      c.relowner::regrole::text as owner,
      exists (
        select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'organization_id' and a.atttypid = 'uuid'::regtype and a.attnotnull
      ) as "organizationRequired",
      coalesce((
        select json_agg(json_build_object(
          'kind', p.cmd || ' ' || p.permissive, 'roles', p.roles::text, 'using', p.qual, 'check', p.with_check))
        from pg_policies p where p.schemaname = 'lamb' and p.tablename = c.relname
      ), '[]') as policies
    from pg_class c
    where c.relnamespace = 'lamb'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname <> 'migrations'
    order by c.relname`.execute(store.db);
  return rows;
}

test('every table belongs to an organisation, and forced row-level security says so', async () => {
  const tables = await readTables();
  expect(tables.length).toBeGreaterThan(9);
  for (const table of tables) {
    expect(table).toEqual({
      name: table.name,
      forced: true,
      owner: 'lamb_owner',
      organizationRequired: true,
      policies: expectedPolicies(table.name),
    });
  }
});

test('references between tables of an organisation carry the organisation', async () => {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint
    where contype = 'f' and connamespace = 'lamb'::regnamespace
      and confrelid in (select oid from pg_class where relnamespace = 'lamb'::regnamespace)
      and not exists (
        select from unnest(conkey) as key
        join pg_attribute a on a.attrelid = conrelid and a.attnum = key and a.attname = 'organization_id')`.execute(
    store.db,
  );
  expect(rows).toEqual([]);
});

test('the application cannot lift the rules it lives under', async () => {
  for (const statement of [
    'alter table lamb.assistants disable row level security',
    'alter table lamb.assistants no force row level security',
    'drop policy tenant on lamb.assistants',
    'create policy open on lamb.assistants using (true)',
    'set role lamb_owner',
    'truncate lamb.assistants',
    'create table lamb.mine ()',
    'update lamb.audit_log set action = action',
    'delete from lamb.audit_log',
    'update lamb.usage_ledger set model = model',
    'delete from lamb.usage_ledger',
    'delete from lamb.migrations',
  ]) {
    await expect(sql.raw(statement).execute(store.db), statement).rejects.toThrow(
      /permission denied|must be owner|must be member/,
    );
  }
  // Allowed, and still no way around: it turns the silent filter into an error.
  const reading = store.db.connection().execute(async (connection) => {
    await sql`set row_security = off`.execute(connection);
    try {
      return await connection.selectFrom('lamb.assistants').select('id').execute();
    } finally {
      await sql`reset row_security`.execute(connection);
    }
  });
  await expect(reading).rejects.toThrow('row-level security');
});

test('a role that could see everything is refused at the start', async () => {
  await expect(requireIsolatedRole(store.db)).resolves.toBeUndefined();
  for (const [url, reason] of [
    [store.database.ownerUrl, 'owns the tables'],
    [store.database.adminUrl, 'bypasses row-level security'],
  ] as const) {
    const db = openDatabase(url);
    await expect(requireIsolatedRole(db)).rejects.toThrow(reason);
    await db.destroy();
  }
});
