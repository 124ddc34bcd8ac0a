import { createHash } from 'node:crypto';
import type { Compilable } from 'kysely';
import type { DbOrTx } from './database.ts';

const limit = 300;
const names = new Map<string, string>();

/**
 * Runs a query as a named statement, which PostgreSQL parses and plans once per connection. For queries that run on
 * every request and name their columns: `select *` would break on the connections that are open when a migration adds one.
 */
export async function executePrepared<Row>(db: DbOrTx, query: Compilable<Row>): Promise<Row[]> {
  const compiled = query.compile();
  // A statement that is always different must not fill the server's memory; past the limit it runs unnamed.
  if (!names.has(compiled.sql) && names.size < limit) {
    names.set(compiled.sql, createHash('sha256').update(compiled.sql).digest('base64url'));
  }
  const { rows } = await db.executeQuery(compiled);
  return rows;
}

/** The name under which a statement is to be prepared, if it is. */
export function findStatementName(sql: string): string | undefined {
  return names.get(sql);
}
