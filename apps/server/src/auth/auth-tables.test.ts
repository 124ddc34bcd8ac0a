import { migrate, openDatabase, type Db } from '@lamb/store';
import { createTestDatabase } from '@lamb/testing';
import { getMigrations } from 'better-auth/db/migration';
import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createAuth } from './create-auth.ts';

const migration = new URL('../../../../packages/store/migrations/0001-auth.sql', import.meta.url);

async function withDatabase<Result>(
  prepare: (ownerUrl: string) => Promise<unknown>,
  work: (db: Db) => Promise<Result>,
) {
  const database = await createTestDatabase();
  await prepare(database.ownerUrl);
  const db = openDatabase(database.ownerUrl);
  try {
    return await work(db);
  } finally {
    await db.destroy();
    await database.drop();
  }
}

async function compareTables(db: Db) {
  const config = { publicUrl: 'http://localhost', authSecret: 'x'.repeat(32), trustedOrigins: [], oidcProviders: [] };
  return await getMigrations(createAuth(db, config, pino({ level: 'silent' })).options);
}

it('a migrated database has everything that sign-in needs', async () => {
  const { toBeCreated, toBeAdded } = await withDatabase(migrate, compareTables);
  expect(toBeCreated).toEqual([]);
  expect(toBeAdded).toEqual([]);
});

it('the first migration is what better-auth compiles from our options, unedited', async () => {
  const compiled = await withDatabase(
    () => Promise.resolve(),
    async (db) => await (await compareTables(db)).compileMigrations(),
  );
  const statements = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('--'))
      .map((line) => line.trim());
  expect(statements(await readFile(migration, 'utf8'))).toEqual(statements(compiled));
});
