import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from './connect.ts';
import { createTemplateDatabase, createTestDatabase, type TestDatabase } from './create-test-database.ts';

const databases: TestDatabase[] = [];
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  databases.push(database);
});

afterAll(async () => {
  await Promise.all(databases.map((each) => each.drop()));
});

test('neither role is a superuser or passes row-level security by rank', async () => {
  for (const url of [database.ownerUrl, database.appUrl]) {
    const { rows } = await connect(url, (client) =>
      client.query('select rolsuper, rolbypassrls, rolcreatedb from pg_roles where rolname = current_user'),
    );
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreatedb: false }]);
  }
});

test('the owner makes tables with vectors, the application does not', async () => {
  await connect(database.ownerUrl, (client) => client.query('create table owned (embedding vector(3))'));
  await expect(connect(database.appUrl, (client) => client.query('create table stolen ()'))).rejects.toThrow(
    'permission denied',
  );
  await expect(connect(database.appUrl, (client) => client.query('select * from owned'))).rejects.toThrow(
    'permission denied',
  );
});

test('prepare runs as the owner; when it fails the database is gone', async () => {
  const prepared = await createTestDatabase({
    prepare: (url) =>
      connect(url, async (client) => {
        await client.query('create table made ()');
      }),
  });
  databases.push(prepared);
  const { rows } = await connect(prepared.ownerUrl, (client) =>
    client.query(`select tableowner from pg_tables where tablename = 'made'`),
  );
  expect(rows).toEqual([{ tableowner: 'lamb_owner' }]);

  // Other tests make databases on the same cluster meanwhile: this one is looked for by its name.
  let failed = '';
  const failing = createTestDatabase({
    prepare: (url) => {
      failed = new URL(url).pathname.slice(1);
      return Promise.reject(new Error('no migrations'));
    },
  });
  await expect(failing).rejects.toThrow('no migrations');
  const { rows: left } = await connect(database.adminUrl, (client) =>
    client.query('select from pg_database where datname = $1', [failed]),
  );
  expect(failed).toMatch(/^lamb_test_/);
  expect(left).toEqual([]);
});

test('a template is prepared once, and copies are independent', async () => {
  let prepared = 0;
  const name = `copies_${database.name}`;
  const prepare = (url: string): Promise<void> =>
    connect(url, async (client) => {
      prepared++;
      await client.query('create table seed as select 1 as n');
    });
  const names = await Promise.all([1, 2, 3].map(() => createTemplateDatabase(name, prepare)));
  expect(prepared).toBe(1);
  const [template] = names;
  if (template === undefined) throw new Error('no template');
  const copies = await Promise.all([1, 2, 3].map(() => createTestDatabase({ template })));
  databases.push(...copies);
  const [first, second] = copies;
  if (first === undefined || second === undefined) throw new Error('no copies');
  await connect(first.ownerUrl, (client) => client.query('insert into seed values (2)'));
  const { rows } = await connect(second.ownerUrl, (client) => client.query('select n from seed'));
  expect(rows).toEqual([{ n: 1 }]);
});

test('a template that failed half-way is made anew', async () => {
  const name = `broken_${database.name}`;
  const fail = (url: string): Promise<void> =>
    connect(url, async (client) => {
      await client.query('create table half ()');
      throw new Error('died here');
    });
  await expect(createTemplateDatabase(name, fail)).rejects.toThrow('died here');
  const template = await createTemplateDatabase(name, () => Promise.resolve());
  const copy = await createTestDatabase({ template });
  databases.push(copy);
  const { rows } = await connect(copy.ownerUrl, (client) => client.query(`select to_regclass('half') as half`));
  expect(rows).toEqual([{ half: null }]);
});

test('drop cuts open connections', async () => {
  const short = await createTestDatabase();
  const client = new pg.Client({ connectionString: short.appUrl });
  const errors: Error[] = [];
  client.on('error', (error) => errors.push(error));
  await client.connect();
  await short.drop();
  await expect(client.query('select 1')).rejects.toThrow();
  expect(errors[0]?.message).toMatch('terminat');
  await expect(connect(short.appUrl, (late) => late.query('select 1'))).rejects.toThrow('does not exist');
});
