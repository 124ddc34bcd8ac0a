import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { connect } from './connect.ts';
import { appRole, derivePassword, ensureRoles, ownerRole } from './ensure-roles.ts';
import { withClusterLock } from './with-cluster-lock.ts';

export interface TestDatabase {
  name: string;
  /** Owns the database and runs migrations; no superuser, row-level security holds for it under FORCE. */
  ownerUrl: string;
  /** Owns nothing: what the application connects as. */
  appUrl: string;
  /** The superuser, for looking behind the curtain. */
  adminUrl: string;
  /** Removes the database, cutting connections that are still open. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Called once with the owner's URL before the database is handed out, e.g. to run migrations. */
  prepare?: (ownerUrl: string) => Promise<void>;
  /** A name that `createTemplateDatabase` returned: copying it is much faster than migrating again. */
  template?: string;
  /** The superuser's URL. Default: `LAMB_TEST_CLUSTER_URL`. */
  clusterUrl?: string;
}

/** Makes an empty database (with pgvector) under a random name. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const clusterUrl = options.clusterUrl ?? readClusterUrl();
  await ensureRoles(clusterUrl);
  const database = describeDatabase(clusterUrl, `lamb_test_${randomBytes(6).toString('hex')}`);
  await connect(clusterUrl, (admin) => createDatabase(admin, database, options.template));
  try {
    await options.prepare?.(database.ownerUrl);
  } catch (error) {
    await database.drop();
    throw error;
  }
  return database;
}

/**
 * Makes a database to copy from, once per cluster and name, however many test files ask for it at the same time.
 * Put what the content depends on (a hash of the migrations) into the name when the cluster outlives a test run.
 */
export async function createTemplateDatabase(
  name: string,
  prepare: (ownerUrl: string) => Promise<void>,
  clusterUrl: string = readClusterUrl(),
): Promise<string> {
  if (!/^[a-z0-9_]{1,40}$/.test(name)) {
    throw new Error(`A template's name is 1 to 40 of a-z, 0-9 and _, not "${name}".`);
  }
  await ensureRoles(clusterUrl);
  const template = describeDatabase(clusterUrl, `lamb_template_${name}`);
  await withClusterLock(clusterUrl, template.name, async (admin) => {
    const { rows } = await admin.query<{ datistemplate: boolean }>(
      'select datistemplate from pg_database where datname = $1',
      [template.name],
    );
    if (rows[0]?.datistemplate === true) return;
    // Left half-made by a process that died in `prepare`.
    if (rows[0] !== undefined) await template.drop();
    await createDatabase(admin, template);
    await prepare(template.ownerUrl);
    await admin.query(`alter database ${template.name} with is_template true allow_connections false`);
  });
  return template.name;
}

async function createDatabase(admin: pg.Client, database: TestDatabase, template?: string): Promise<void> {
  const source = template === undefined ? 'template0' : `"${template}"`;
  await admin.query(`create database ${database.name} owner ${ownerRole} template ${source}`);
  if (template !== undefined) return;
  await connect(database.adminUrl, (client) => client.query('create extension if not exists vector'));
}

function describeDatabase(clusterUrl: string, name: string): TestDatabase {
  const build = (role?: string): string => {
    const url = new URL(clusterUrl);
    url.pathname = `/${name}`;
    if (role !== undefined) {
      url.username = role;
      url.password = derivePassword(clusterUrl);
    }
    return url.href;
  };
  return {
    name,
    ownerUrl: build(ownerRole),
    appUrl: build(appRole),
    adminUrl: build(),
    async drop() {
      await connect(clusterUrl, (admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

function readClusterUrl(): string {
  const url = process.env.LAMB_TEST_CLUSTER_URL;
  if (url === undefined || url === '') {
    throw new Error(
      'LAMB_TEST_CLUSTER_URL is not set. Run under vitest with @lamb/testing/global-setup, or start a cluster with startCluster() and pass its adminUrl as clusterUrl.',
    );
  }
  return url;
}
