import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistant, getAssistant } from './assistants.ts';
import type { Db } from './database.ts';
import { openDatabase } from './open-database.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import { sendAhead } from './send-ahead.ts';
import { readTenant, withTenant, type TenantTx } from './with-tenant.ts';

let store: TestStore;
let one: TestTenant;
let other: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
  one = await store.addTenant();
  other = await store.addTenant();
  await one.run((tx) => createAssistant(tx, { ownerId: one.teacherId, name: 'of one' }));
  await other.run((tx) => createAssistant(tx, { ownerId: other.teacherId, name: 'of the other' }));
});

afterAll(() => store.close());

const listNames = async (db: TenantTx | Db): Promise<string[]> =>
  (await db.selectFrom('lamb.assistants').select('name').orderBy('name').execute()).map((row) => row.name);

async function withSingleConnection(work: (db: Db) => Promise<void>): Promise<void> {
  const db = openDatabase(store.database.appUrl, { maxConnections: 1 });
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

const readPid = async (db: Db): Promise<number | undefined> =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;

test('a transaction sees its own organisation and no other', async () => {
  expect(await one.run(listNames)).toEqual(['of one']);
  expect(await other.run(listNames)).toEqual(['of the other']);
});

test('without an organisation there is nothing to see and nothing to write', async () => {
  expect(await listNames(store.db)).toEqual([]);
  const insert = store.db.insertInto('lamb.assistants').values({ owner_id: one.teacherId, name: 'nobody’s' });
  await expect(insert.execute()).rejects.toThrow('row-level security');
  const changed = await store.db.updateTable('lamb.assistants').set({ name: 'taken' }).executeTakeFirst();
  expect(changed.numUpdatedRows).toBe(0n);
});

test('a row for another organisation is refused, and so is moving one there', async () => {
  await expect(
    one.run((tx) =>
      tx
        .insertInto('lamb.assistants')
        .values({ organization_id: other.organizationId, owner_id: one.teacherId, name: 'planted' })
        .execute(),
    ),
  ).rejects.toThrow('row-level security');
  await expect(
    one.run((tx) => tx.updateTable('lamb.assistants').set({ organization_id: other.organizationId }).execute()),
  ).rejects.toThrow('row-level security');
});

test('a foreign key does not reach into another organisation', async () => {
  const foreign = await other.run((tx) => createAssistant(tx, { ownerId: other.teacherId, name: 'target' }));
  expect(await one.run((tx) => getAssistant(tx, foreign.id))).toBeUndefined();
  await expect(
    one.run((tx) =>
      tx.insertInto('lamb.assistant_shares').values({ assistant_id: foreign.id, user_id: one.colleagueId }).execute(),
    ),
  ).rejects.toThrow('foreign key');
});

test('one connection goes from tenant to tenant and nothing stays on it', async () => {
  await withSingleConnection(async (db) => {
    const pid = await readPid(db);
    expect(await withTenant(db, one.organizationId, listNames)).toEqual(['of one']);
    expect(await listNames(db)).toEqual([]);
    expect(await withTenant(db, other.organizationId, listNames)).toContain('of the other');
    expect(await listNames(db)).toEqual([]);
    expect(await readPid(db)).toBe(pid);
  });
});

test('an error in mid-transaction rolls back and leaves nothing on the connection', async () => {
  await withSingleConnection(async (db) => {
    const broken = withTenant(db, one.organizationId, async (tx) => {
      await createAssistant(tx, { ownerId: one.teacherId, name: 'half-made' });
      await sql`select 1 / 0`.execute(tx);
    });
    await expect(broken).rejects.toThrow('division by zero');
    expect(await listNames(db)).toEqual([]);
    const thrown = withTenant(db, one.organizationId, async (tx) => {
      await createAssistant(tx, { ownerId: one.teacherId, name: 'half-made' });
      throw new Error('of our own');
    });
    await expect(thrown).rejects.toThrow('of our own');
    expect(await withTenant(db, one.organizationId, listNames)).toEqual(['of one']);
  });
});

test('a swallowed error is not mistaken for a commit', async () => {
  const swallowing = one.run(async (tx) => {
    await createAssistant(tx, { ownerId: one.teacherId, name: 'lost' });
    await sql`select 1 / 0`.execute(tx).catch(() => undefined);
  });
  await expect(swallowing).rejects.toThrow('rolled back');
  expect(await one.run(listNames)).toEqual(['of one']);
});

test('a connection that is given back in a transaction is not used again', async () => {
  await withSingleConnection(async (db) => {
    const before = await readPid(db);
    await db.connection().execute(async (connection) => {
      await sql.raw(`begin; select set_config('app.org_id', '${one.organizationId}', false)`).execute(connection);
    });
    expect(await readPid(db)).not.toBe(before);
    expect(await listNames(db)).toEqual([]);
  });
});

test('a query that nobody waited for does not run in the next one’s transaction', async () => {
  let leaked: TenantTx | undefined;
  await one.run((tx) => {
    leaked = tx;
    return Promise.resolve();
  });
  if (leaked === undefined) throw new Error('no transaction');
  await expect(listNames(leaked)).rejects.toThrow('has ended');
  await expect(getAssistant(leaked, 1)).rejects.toThrow('has ended');
});

test('only a UUID is an organisation', async () => {
  for (const id of ['', 'x', `${randomUUID()}'; drop schema lamb cascade; --`, `${randomUUID()}\n`]) {
    await expect(withTenant(store.db, id, listNames)).rejects.toThrow('not the id of an organisation');
  }
  expect(await withTenant(store.db, randomUUID(), listNames)).toEqual([]);
});

test('text that PostgreSQL cannot store is the caller’s mistake', async () => {
  const naming = one.run((tx) => createAssistant(tx, { ownerId: one.teacherId, name: 'a\0b' }));
  await expect(naming).rejects.toMatchObject({ name: 'AppError', code: 'invalid_request' });
});

test('work that only reads is bound like any other, and cannot write', async () => {
  expect(await readTenant(store.db, one.organizationId, listNames)).toEqual(['of one']);
  const write = readTenant(store.db, one.organizationId, (tx) => tx.deleteFrom('lamb.assistants').execute());
  await expect(write).rejects.toThrow('read-only transaction');
  await expect(readTenant(store.db, 'nobody', listNames)).rejects.toThrow('is not the id of an organisation');
  expect(await one.run(listNames)).toEqual(['of one']);
});

test('who comes after work that only read, on the same connection, is bound to their own organisation', async () => {
  await withSingleConnection(async (db) => {
    const organizations = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other));
    const names = await Promise.all(
      organizations.map(({ organizationId }) => readTenant(db, organizationId, listNames)),
    );
    const own = { one: await one.run(listNames), other: await other.run(listNames) };
    expect(own.one).not.toEqual(own.other);
    expect(names).toEqual(organizations.map((each) => (each === one ? own.one : own.other)));
    expect(await listNames(db)).toEqual([]);
  });
});

test('why a transaction could not be begun is what its first statement fails with, and nobody after it', async () => {
  await withSingleConnection(async (db) => {
    await db.connection().execute(async (connection) => {
      await sql.raw(sendAhead('select 1/0')).execute(connection);
      await expect(sql`select 1 as one`.execute(connection)).rejects.toThrow('division by zero');
      expect((await sql`select 1 as one`.execute(connection)).rows).toEqual([{ one: 1 }]);
    });
  });
});
