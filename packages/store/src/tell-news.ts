import { sql } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

/** Tells all processes something new about a topic, such as the id of a document, when the transaction is committed. Neither contains blanks. */
export async function tellNews(tx: TenantTx, topic: string, news: string): Promise<void> {
  await sql`select pg_notify('lamb_news', ${`${topic} ${news}`})`.execute(tx);
}
