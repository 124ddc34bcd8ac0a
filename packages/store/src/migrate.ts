import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import type { DbOrTx } from './database.ts';

export interface MigrationOptions {
  /** Where the numbered SQL files are. Default: this package's own. */
  directory?: string;
}

export interface MigrationStatus {
  applied: string[];
  /** Not yet in the database: run `migrate`. */
  pending: string[];
  /** In the database with another content than in this build. */
  changed: string[];
  /** In the database and not in this build, which is older. */
  unknown: string[];
}

interface Migration {
  name: string;
  content: string;
  checksum: string;
}

const fileName = /^\d{4}-[a-z0-9-]+\.sql$/;
const lockKey = 0x1a3b_0001;

/** Brings a database up to date, as its owner, and returns the names of what it ran. Several processes may do it at once. */
export async function migrate(ownerUrl: string, options: MigrationOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(options.directory);
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'lamb migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await requireAppRole(client);
    await client.query(`
      create schema if not exists lamb;
      create table if not exists lamb.migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`);
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from lamb.migrations',
    );
    const status = compareMigrations(migrations, rows);
    refuseUnsafeState(status);
    for (const migration of migrations) {
      if (status.pending.includes(migration.name)) await applyMigration(client, migration);
    }
    return status.pending;
  } finally {
    await client.end();
  }
}

/** What this build's migrations and the database's record of them say to each other; for readiness. */
export async function readMigrationStatus(db: DbOrTx, options: MigrationOptions = {}): Promise<MigrationStatus> {
  const migrations = await readMigrations(options.directory);
  const table = await sql<{ found: boolean }>`select to_regclass('lamb.migrations') is not null as found`.execute(db);
  if (table.rows[0]?.found !== true) return compareMigrations(migrations, []);
  const { rows } = await sql<{ name: string; checksum: string }>`select name, checksum from lamb.migrations`.execute(
    db,
  );
  return compareMigrations(migrations, rows);
}

async function readMigrations(directory?: string): Promise<Migration[]> {
  const folder = directory ?? fileURLToPath(new URL('../migrations/', import.meta.url));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const misnamed = names.find((name) => !fileName.test(name));
  if (misnamed !== undefined) {
    throw new Error(`${misnamed} in ${folder} is not named like a migration; call it NNNN-what-it-does.sql.`);
  }
  return await Promise.all(
    names.map(async (name) => {
      const content = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name, content, checksum: createHash('sha256').update(content).digest('hex') };
    }),
  );
}

function compareMigrations(
  migrations: readonly Migration[],
  rows: readonly { name: string; checksum: string }[],
): MigrationStatus {
  const recorded = new Map(rows.map((row) => [row.name, row.checksum]));
  const known = new Set(migrations.map((migration) => migration.name));
  const status: MigrationStatus = { applied: [], pending: [], changed: [], unknown: [] };
  for (const { name, checksum } of migrations) {
    const found = recorded.get(name);
    if (found === undefined) status.pending.push(name);
    else if (found === checksum) status.applied.push(name);
    else status.changed.push(name);
  }
  status.unknown = [...recorded.keys()].filter((name) => !known.has(name)).sort();
  return status;
}

function refuseUnsafeState({ applied, pending, changed, unknown }: MigrationStatus): void {
  if (changed.length > 0) {
    throw new Error(
      `${changed.join(', ')} changed after it was run on this database. Restore the file and put the change into a new migration.`,
    );
  }
  const newestKnown = [...applied, ...pending].sort().at(-1) ?? '';
  const lost = unknown.find((name) => name < newestKnown);
  if (lost !== undefined) {
    throw new Error(`${lost} was run on this database and is not in this build. Restore the file under this name.`);
  }
  const newestApplied = [...applied, ...unknown].sort().at(-1) ?? '';
  const late = pending.find((name) => name < newestApplied);
  if (late !== undefined) {
    throw new Error(`${late} comes before ${newestApplied}, which this database already has. Give it a higher number.`);
  }
}

async function requireAppRole(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(`select 1 from pg_roles where rolname = 'lamb_app'`);
  if (rowCount === 0) {
    throw new Error(
      `The role lamb_app, as which the application connects, does not exist. As a superuser: create role lamb_app login password '…'`,
    );
  }
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.content);
    await client.query('insert into lamb.migrations (name, checksum) values ($1, $2)', [
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Migration ${migration.name} failed and was rolled back: ${reason}`, { cause });
  }
}
