import { cp, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@lamb/testing';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, readMigrationStatus } from './migrate.ts';
import { openDatabase } from './open-database.ts';

const ownFolder = fileURLToPath(new URL('../migrations/', import.meta.url));
let database: TestDatabase;
let directory: string;
let names: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), 'lamb-migrations-'));
  await cp(ownFolder, directory, { recursive: true });
  names = (await readdir(ownFolder)).sort();
});

afterEach(async () => {
  await rm(directory, { recursive: true });
  await database.drop();
});

const readStatus = async () => {
  const db = openDatabase(database.appUrl);
  try {
    return await readMigrationStatus(db, { directory });
  } finally {
    await db.destroy();
  }
};

test('runs what is missing, once', async () => {
  expect(await readStatus()).toEqual({ applied: [], pending: names, changed: [], unknown: [] });
  expect(await migrate(database.ownerUrl)).toEqual(names);
  expect(await migrate(database.ownerUrl)).toEqual([]);
  expect(await readStatus()).toEqual({ applied: names, pending: [], changed: [], unknown: [] });
});

test('several processes at once share the work', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate(database.ownerUrl)));
  expect(results.flat()).toEqual(names);
});

test('a file that changed after it was run is refused by name', async () => {
  await migrate(database.ownerUrl, { directory });
  await writeFile(join(directory, '0003-assistants.sql'), 'select 1');
  await expect(migrate(database.ownerUrl, { directory })).rejects.toThrow(
    '0003-assistants.sql changed after it was run on this database. Restore the file',
  );
  expect((await readStatus()).changed).toEqual(['0003-assistants.sql']);
});

test('line endings of another platform are not a change', async () => {
  await writeFile(join(directory, '9000-a.sql'), 'select 1;\nselect 2;\n');
  await migrate(database.ownerUrl, { directory });
  await writeFile(join(directory, '9000-a.sql'), 'select 1;\r\nselect 2;\r\n');
  expect(await migrate(database.ownerUrl, { directory })).toEqual([]);
});

test('a failing migration leaves nothing of itself and stops the rest', async () => {
  await writeFile(join(directory, '9000-a.sql'), 'create table lamb.half (id int);\nselect 1 / 0;');
  await writeFile(join(directory, '9001-b.sql'), 'create table lamb.never (id int);');
  await expect(migrate(database.ownerUrl, { directory })).rejects.toThrow(
    'Migration 9000-a.sql failed and was rolled back: division by zero',
  );
  const db = openDatabase(database.ownerUrl);
  const { rows } = await sql`select to_regclass('lamb.half') as half, to_regclass('lamb.never') as never`.execute(db);
  await db.destroy();
  expect(rows).toEqual([{ half: null, never: null }]);
  expect((await readStatus()).pending).toEqual(['9000-a.sql', '9001-b.sql']);
});

test('a migration that comes too late, or is gone, is refused', async () => {
  await writeFile(join(directory, '9001-b.sql'), 'select 1');
  await migrate(database.ownerUrl, { directory });
  await writeFile(join(directory, '9000-a.sql'), 'select 1');
  await expect(migrate(database.ownerUrl, { directory })).rejects.toThrow(
    '9000-a.sql comes before 9001-b.sql, which this database already has. Give it a higher number.',
  );
  await rm(join(directory, '9000-a.sql'));
  await rename(join(directory, '0003-assistants.sql'), join(directory, '9002-assistants.sql'));
  await expect(migrate(database.ownerUrl, { directory })).rejects.toThrow(
    '0003-assistants.sql was run on this database and is not in this build.',
  );
});

test('an older build leaves a newer database alone', async () => {
  await writeFile(join(directory, '9000-newer.sql'), 'select 1');
  await migrate(database.ownerUrl, { directory });
  await rm(join(directory, '9000-newer.sql'));
  expect(await migrate(database.ownerUrl, { directory })).toEqual([]);
  expect((await readStatus()).unknown).toEqual(['9000-newer.sql']);
});

test('a file that is not named like a migration is not skipped silently', async () => {
  await writeFile(join(directory, '10-x.sql'), 'select 1');
  await expect(migrate(database.ownerUrl, { directory })).rejects.toThrow('call it NNNN-what-it-does.sql');
});
