import { createHash } from 'node:crypto';
import type pg from 'pg';

/** The search as one would write it by hand, for one collection: no permission, no several collections, no settings. */
export async function searchBare(
  client: pg.Client,
  search: { collectionId: number; query: string; vector: string; isIndexed: boolean; dimensions: number },
): Promise<string[]> {
  const id = String(search.collectionId);
  const type = search.isIndexed ? `halfvec(${String(search.dimensions)})` : 'halfvec';
  const distance = search.isIndexed ? `embedding::${type} <#> $2::${type}` : `embedding <#> $2::halfvec`;
  const where = search.isIndexed
    ? `collection_id = ${id} and vector_dims(embedding) = ${String(search.dimensions)}`
    : 'collection_id = $3';
  const text = `
    with
      q as materialized (select terms from lamb.weigh_query(array[$3::integer], 'simple', $1)),
      l as (
        select chunk_id, row_number() over (order by s) r from (
          select chunk_id, terms <#> (select terms from q) s from lamb.chunk_lexemes
          where collection_id = $3 order by 2 limit 50
        ) x where s < 0
      ),
      d as (
        select chunk_id, row_number() over (order by s) r from (
          select chunk_id, ${distance} s from lamb.chunk_vectors where ${where} order by ${distance} limit 50
        ) x
      ),
      f as (
        select chunk_id, sum(w / (10 + r)) score from (
          select chunk_id, r, 2.0::float8 w from l union all select chunk_id, r, 1.0::float8 from d
        ) u group by 1 order by 2 desc limit 10
      )
    select f.chunk_id, f.score, k.content, k.heading_path, k.page_from, d.filename
    from f join lamb.chunks k on k.id = f.chunk_id join lamb.documents d on d.id = k.document_id order by f.score desc`;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 60);
  const { rows } = await client.query<{ chunk_id: string }>({
    name,
    text,
    values: [search.query, search.vector, search.collectionId],
  });
  return rows.map((row) => row.chunk_id);
}

/** The nearest passages, found by comparing with all. */
export async function findNearest(
  client: pg.Client,
  { collectionId, vector, count }: { collectionId: number; vector: string; count: number },
): Promise<string[]> {
  const { rows } = await client.query<{ chunk_id: string }>(
    `select chunk_id from lamb.chunk_vectors where collection_id = $1 order by embedding <#> $2::halfvec, chunk_id limit $3`,
    [collectionId, vector, count],
  );
  return rows.map((row) => row.chunk_id);
}
