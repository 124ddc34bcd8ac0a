import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Database, Db } from './database.ts';
import { findStatementName } from './prepared-statements.ts';
import { isSentAhead } from './send-ahead.ts';

export interface DatabaseOptions {
  /** How many connections this process may hold. Default 10. */
  maxConnections?: number;
  /** A statement that takes longer is cancelled by the database. Default 30 s. */
  statementTimeoutMs?: number;
  /** How long a request waits for a free connection before it fails. Default 10 s. */
  connectTimeoutMs?: number;
  /** Told when a connection that nobody uses breaks. The pool replaces it by itself. */
  onConnectionLost?: (error: Error) => void;
}

/** Opens a pool as the application's role. Close it with `db.destroy()`. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Db {
  const config: pg.PoolConfig & { pipeline: boolean } = {
    connectionString: url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'lamb',
    types: { getTypeParser: findTypeParser },
    // So that a transaction's first statement need not wait for the answer to its beginning; see `sendAhead`.
    pipeline: true,
  };
  const pool = new pg.Pool(config);
  pool.on('error', (error) => options.onConnectionLost?.(error));
  pool.on('connect', (client) => {
    // The pool does not listen to a client that is lent out. One that is lost between two queries of a transaction would
    // end the process; the next query reports it anyway.
    client.on('error', () => undefined);
    // No statement here runs as long as it would take to compile it, which the planner would do for searches.
    client.query('set jit = off').catch(() => undefined);
  });
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: guardPool(pool) }) });
}

type ParseValue = (text: string) => unknown;

/** `bigint` as a number: ids and sums stay far below 2^53, and JSON has nothing else for them. */
const parsers = new Map<number, ParseValue>([
  [pg.types.builtins.INT8, parseSafeInteger],
  [1016, parseSafeIntegers],
]);

const findTypeParser: typeof pg.types.getTypeParser = (oid, format): ParseValue =>
  parsers.get(oid) ?? (pg.types.getTypeParser(oid, format) as ParseValue);

function parseSafeIntegers(text: string): number[] {
  const inner = text.slice(1, -1);
  return inner === '' ? [] : inner.split(',').map(parseSafeInteger);
}

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit into a JavaScript number.`);
  return value;
}

/** Kysely's own driver on top of a pool that names prepared statements and never takes back a transaction. */
function guardPool(pool: pg.Pool): PostgresPool {
  // Kysely keeps its own state per client, so a client always gets the same guard.
  const guards = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      let guard = guards.get(client);
      if (guard === undefined) {
        guard = guardClient(client);
        guards.set(client, guard);
      }
      return guard;
    },
  };
}

function guardClient(client: pg.PoolClient): PostgresPoolClient {
  /** A statement that was sent, and whose answer is awaited with that of the next. */
  let ahead: Promise<unknown> | undefined;
  const send = (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    const name = findStatementName(sql);
    const values = [...parameters];
    return name === undefined ? client.query(sql, values) : client.query({ name, text: sql, values });
  };
  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    const sent = send(sql, parameters);
    if (isSentAhead(sql)) {
      ahead = sent;
      // Told with the next one.
      sent.catch(() => undefined);
      return { command: 'BEGIN', rowCount: 0, rows: [] };
    }
    if (ahead === undefined) return await sent;
    const [first, second] = await Promise.allSettled([ahead, sent]);
    ahead = undefined;
    if (first.status === 'rejected') throw first.reason;
    if (second.status === 'rejected') throw second.reason;
    return second.value;
  };
  return {
    query: query as PostgresPoolClient['query'],
    release(destroy) {
      // Idle is 'I'. Anything else still holds a transaction, and with it an organisation: nobody else may get it.
      client.release(destroy === true || readTransactionStatus(client) !== 'I');
    },
  };
}

function readTransactionStatus(client: pg.PoolClient): string | null {
  return (client as pg.PoolClient & { getTransactionStatus(): string | null }).getTransactionStatus();
}
