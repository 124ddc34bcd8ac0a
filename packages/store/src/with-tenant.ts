import { sql, type Kysely, type KyselyPlugin } from 'kysely';
import type { Database, Db, DbOrTx } from './database.ts';
import { explainRefusedText } from './explain-refused-text.ts';
import { sendAhead } from './send-ahead.ts';

declare const bound: unique symbol;

/** A transaction that sees one organisation's rows and no others. Only `withTenant` and `readTenant` make one. */
export type TenantTx = DbOrTx & { readonly organizationId: string; readonly [bound]: true };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

type TenantWork<Result> = (tx: TenantTx) => Promise<Result>;

/** Runs `work` in a transaction bound to an organisation: committed when it returns, rolled back when it throws. */
export async function withTenant<Result>(db: Db, organizationId: string, work: TenantWork<Result>): Promise<Result> {
  return await runBound(db, organizationId, 'begin', work);
}

/**
 * The same for work that only reads, which PostgreSQL enforces: there is nothing to commit, so nobody waits for it. For
 * what every request does; elsewhere the round trip that it saves is not worth a second name.
 */
export function readTenant<Result>(db: Db, organizationId: string, work: TenantWork<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  runBound(db, organizationId, 'begin read only', async (tx) => {
    resolve(await work(tx));
  }).catch(reject);
  return promise;
}

async function runBound<Result>(
  db: Db,
  organizationId: string,
  begin: 'begin' | 'begin read only',
  work: TenantWork<Result>,
): Promise<Result> {
  // Interpolated below, because the simple protocol is what takes several statements in one round trip.
  if (!uuid.test(organizationId)) throw new TypeError(`"${organizationId}" is not the id of an organisation.`);
  return await db.connection().execute(async (connection) => {
    const opening = sendAhead(`${begin}; select set_config('app.org_id', '${organizationId}', true)`);
    await sql.raw(opening).execute(connection);
    const { tx, close } = bindTenant(connection, organizationId);
    let result: Result;
    try {
      result = await work(tx);
    } catch (error) {
      close();
      // When even this fails the pool discards the connection, and the first error is the one to report.
      await sql
        .raw('rollback')
        .execute(connection)
        .catch(() => undefined);
      throw explainRefusedText(error);
    }
    close();
    await commit(connection);
    return result;
  });
}

function bindTenant(connection: Kysely<Database>, organizationId: string): { tx: TenantTx; close: () => void } {
  let open = true;
  // After its end, the connection belongs to somebody else: a query that nobody waited for would run as theirs.
  const refuseWhenClosed: KyselyPlugin = {
    transformQuery({ node }) {
      if (!open) throw new Error('This tenant transaction has ended. Await every query before `work` returns.');
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const tx = Object.assign(connection.withPlugin(refuseWhenClosed), { organizationId });
  return {
    tx: tx as unknown as TenantTx,
    close: () => {
      open = false;
    },
  };
}

async function commit(connection: Kysely<Database>): Promise<void> {
  const { rows } = await sql.raw<{ command?: string }>('commit').execute(connection);
  // PostgreSQL answers COMMIT with ROLLBACK when a statement had failed and `work` went on all the same.
  if (rows[0]?.command === 'ROLLBACK') {
    throw new Error('The transaction was rolled back: a statement in it failed and its error was swallowed.');
  }
}
