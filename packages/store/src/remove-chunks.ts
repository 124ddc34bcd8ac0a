import { sql } from 'kysely';
import type { TenantTx } from './with-tenant.ts';

/**
 * From here to the end of the transaction nobody else changes a collection's passages: two that add and subtract the
 * frequencies of the same words would lock each other out. Takes the time that many passages need.
 */
export async function lockCollectionChunks(tx: TenantTx, collectionId: number): Promise<void> {
  // Two statements in one round trip: waiting for the lock, too, is allowed the longer time.
  await sql`set local statement_timeout = 600000; select pg_advisory_xact_lock(1280134474, ${sql.lit(collectionId)})`.execute(
    tx,
  );
}

/** Removes a document's passages and vectors, and subtracts its words from the collection's frequencies. */
export async function dropDocumentChunks(tx: TenantTx, collectionId: number, documentId: string): Promise<void> {
  await lockCollectionChunks(tx, collectionId);
  const { rows } = await sql<{ removed: number }>`
    with
      removed as (delete from lamb.chunks where document_id = ${documentId} returning id),
      vectors as (delete from lamb.chunk_vectors where chunk_id in (select id from removed)),
      lexemes as (
        delete from lamb.chunk_lexemes where chunk_id in (select id from removed) returning terms
      ),
      fewer as (select lexeme, count(*) as n from lexemes, lamb.list_lexemes(terms) as lexeme group by lexeme),
      frequencies as (
        update lamb.lexeme_frequencies f set chunks = f.chunks - fewer.n
        from fewer where f.collection_id = ${collectionId} and f.lexeme = fewer.lexeme
      ),
      stats as (
        update lamb.lexeme_stats set chunks = chunks - (select count(*) from removed)
        where collection_id = ${collectionId}
      )
    select count(*) as removed from removed`.execute(tx);
  if ((rows[0]?.removed ?? 0) === 0) return;
  await sql`delete from lamb.lexeme_frequencies where collection_id = ${collectionId} and chunks = 0`.execute(tx);
}

/** Removes all of a collection's passages, vectors and frequencies. */
export async function dropCollectionChunks(tx: TenantTx, collectionId: number): Promise<void> {
  await lockCollectionChunks(tx, collectionId);
  for (const table of ['chunk_vectors', 'chunk_lexemes', 'lexeme_frequencies', 'lexeme_stats', 'chunks'] as const) {
    await tx.deleteFrom(`lamb.${table}`).where('collection_id', '=', collectionId).execute();
  }
}
