import { sql } from 'kysely';
import type { Db } from './database.ts';
import type { TenantTx } from './with-tenant.ts';

export interface VectorIndexTable {
  collection_id: number;
  wanted_dimensions: number | null;
  built_dimensions: number | null;
}

/** From so many passages on, comparing with each takes longer than people should wait. */
export const VECTOR_INDEX_CHUNKS = 50_000;

/** Asks for a vector index of a collection's own when it has become large, and gives it up when it is small again. */
export async function reviewVectorIndex(
  tx: TenantTx,
  collectionId: number,
  { fromChunks = VECTOR_INDEX_CHUNKS }: { fromChunks?: number } = {},
): Promise<void> {
  // Half of it to give one up, so that a collection at the border does not go to and fro.
  await sql`
    with
      size as (
        select c.id, c.embedding_dimensions as dimensions, s.chunks
        from lamb.collections c join lamb.lexeme_stats s on s.collection_id = c.id
        where c.id = ${collectionId}
      ),
      known as (
        update ops.vector_indexes v
        set wanted_dimensions = case
          when size.chunks >= ${fromChunks} or (v.wanted_dimensions is not null and size.chunks * 2 >= ${fromChunks})
          then size.dimensions end
        from size where v.collection_id = size.id
        returning v.collection_id
      )
    insert into ops.vector_indexes (collection_id, wanted_dimensions)
    select id, dimensions from size where chunks >= ${fromChunks} and id not in (select collection_id from known)
    on conflict do nothing`.execute(tx);
}

/** The collection is gone; its index follows when there is time. */
export async function releaseVectorIndex(tx: TenantTx, collectionId: number): Promise<void> {
  await tx
    .updateTable('ops.vector_indexes')
    .set({ wanted_dimensions: null })
    .where('collection_id', '=', collectionId)
    .execute();
}

/** What happened to the vector index of one collection; `busy`: the table was in use for too long, try again later. */
export interface VectorIndexStep {
  collectionId: number;
  outcome: 'built' | 'dropped' | 'busy';
}

/** Builds the vector indexes that are wanted and drops those that are not, one after the other. Several processes may do it at once. */
export async function keepVectorIndexes(db: Db): Promise<VectorIndexStep[]> {
  const steps: VectorIndexStep[] = [];
  const waiting = await db
    .selectFrom('ops.vector_indexes')
    .select('collection_id')
    .where((eb) => eb('wanted_dimensions', 'is distinct from', eb.ref('built_dimensions')))
    .orderBy('collection_id')
    .execute();
  for (const { collection_id: collectionId } of waiting) {
    let outcome: VectorIndexStep['outcome'] | null;
    do {
      outcome = await keepVectorIndex(db, collectionId);
      if (outcome !== null) steps.push({ collectionId, outcome });
    } while (outcome === 'dropped');
  }
  return steps;
}

async function keepVectorIndex(db: Db, collectionId: number): Promise<VectorIndexStep['outcome'] | null> {
  try {
    return await db.transaction().execute(async (tx) => {
      // A minute or more for a hundred thousand vectors.
      await sql`set local statement_timeout = 0`.execute(tx);
      const { rows } = await sql<{ outcome: 'built' | 'dropped' | null }>`
        select lamb.keep_vector_index(${collectionId}) as outcome`.execute(tx);
      return rows[0]?.outcome ?? null;
    });
  } catch (error) {
    const isBusy = error instanceof Error && 'code' in error && error.code === '55P03';
    if (!isBusy) throw error;
    return 'busy';
  }
}
