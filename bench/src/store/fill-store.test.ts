import { migrate } from '@lamb/store';
import { createTestDatabase, type TestDatabase } from '@lamb/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillStore } from './fill-store.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({
    prepare: async (ownerUrl) => {
      await migrate(ownerUrl);
    },
  });
  await fillStore(database.adminUrl, { organizations: 10, assistants: 400, users: 2000 });
});

afterAll(() => database.drop());

async function count(query: string): Promise<number> {
  const client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${query}`);
  await client.end();
  return Number(rows[0]?.n);
}

test('the database has the size that was asked for', async () => {
  expect(await count('auth.organization')).toBe(10);
  expect(await count('auth."user"')).toBe(2000);
  expect(await count('auth.member')).toBe(2000);
  expect(await count('lamb.assistants')).toBe(400);
  expect(await count('auth.apikey')).toBe(100);
  expect(await count('lamb.assistant_shares')).toBeGreaterThan(100);
});

test('the rows fit together although nothing checked them', async () => {
  const isMember = (user: string, organization: string) =>
    `exists (select from auth.member m where m."userId" = ${user} and m."organizationId" = ${organization})`;
  expect(await count(`lamb.assistants a where not ${isMember('a.owner_id', 'a.organization_id')}`)).toBe(0);
  expect(await count(`lamb.assistant_shares s where not ${isMember('s.user_id', 's.organization_id')}`)).toBe(0);
  expect(await count(`auth.apikey k where not ${isMember('k."referenceId"::uuid', 'k."organizationId"')}`)).toBe(0);
  const isThere = `exists (select from lamb.assistants a where a.id = assistant_id and a.organization_id = s.organization_id)`;
  expect(await count(`lamb.assistant_shares s where not ${isThere}`)).toBe(0);
});

test('the indexes that were taken away are back', async () => {
  expect(await count(`pg_indexes where schemaname = 'lamb' and tablename = 'assistants'`)).toBe(11);
  expect(await count(`pg_index where not indisvalid`)).toBe(0);
});
