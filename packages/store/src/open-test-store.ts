import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createTemplateDatabase, createTestDatabase, type TestDatabase } from '@lamb/testing';
import type { Db } from './database.ts';
import { migrate } from './migrate.ts';
import { openDatabase, type DatabaseOptions } from './open-database.ts';
import { withTenant, type TenantTx } from './with-tenant.ts';

/** An organisation with two members, to act as. */
export interface TestTenant {
  organizationId: string;
  teacherId: string;
  colleagueId: string;
  run<Result>(work: (tx: TenantTx) => Promise<Result>): Promise<Result>;
}

export interface TestStore {
  database: TestDatabase;
  /** As the application connects. */
  db: Db;
  addTenant(): Promise<TestTenant>;
  addUser(organizationId: string, values?: { email?: string; role?: string }): Promise<string>;
  close(): Promise<void>;
}

/** A migrated database of its own for one test file. */
export async function openTestStore(options: DatabaseOptions = {}): Promise<TestStore> {
  const template = await createTemplateDatabase(`store_${await hashMigrations()}`, async (ownerUrl) => {
    await migrate(ownerUrl);
  });
  const database = await createTestDatabase({ template });
  const db = openDatabase(database.appUrl, { maxConnections: 4, ...options });
  const addUser: TestStore['addUser'] = async (organizationId, { email, role = 'member' } = {}) => {
    const name = randomUUID();
    const { id } = await db
      .insertInto('auth.user')
      .values({ email: email ?? `${name}@example.org`, name })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db.insertInto('auth.member').values({ organizationId, userId: id, role }).execute();
    return id;
  };
  return {
    database,
    db,
    addUser,
    async addTenant() {
      const slug = randomUUID();
      const { id: organizationId } = await db
        .insertInto('auth.organization')
        .values({ name: `Organisation ${slug}`, slug })
        .returning('id')
        .executeTakeFirstOrThrow();
      return {
        organizationId,
        teacherId: await addUser(organizationId, { role: 'owner' }),
        colleagueId: await addUser(organizationId),
        run: (work) => withTenant(db, organizationId, work),
      };
    },
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}

async function hashMigrations(): Promise<string> {
  const folder = new URL('../migrations/', import.meta.url);
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).sort()) hash.update(await readFile(new URL(name, folder)));
  return hash.digest('hex').slice(0, 12);
}
