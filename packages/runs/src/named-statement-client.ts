import { createHash } from 'node:crypto';
import pg from 'pg';

const names = new Map<string, string>();
const LIMIT = 300;

/**
 * A PostgreSQL client that prepares every statement with parameters under a name, so that it is parsed and planned once
 * a connection. DBOS sends the same few dozen statements for every step; this halves what they cost the database.
 */
export class NamedStatementClient extends pg.Client {
  // The overloads of pg's `query` cannot be restated; what comes in is passed on as it is, but for a name.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined;
    const query = super.query.bind(this) as (...given: unknown[]) => never;
    return name === undefined ? query(...args) : query({ name, text, values }, ...rest);
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= LIMIT) return known;
  const name = createHash('sha256').update(text).digest('base64url');
  names.set(text, name);
  return name;
}
