import { isCollectionReadable, type CollectionRanking } from '@lamb/store';
import { sql, type RawBuilder } from 'kysely';
import type { SearchHit } from './search-hit.ts';

/** Collections whose words are compared under the same rules. */
export interface LexicalGroup {
  language: string;
  ids: number[];
}

/** Collections whose vectors are compared with the same vector. */
export interface DenseGroup {
  vector: string;
  dimensions: number;
  /** Compared with every passage. */
  exact: number[];
  /** Each has a vector index of its own. */
  indexed: number[];
}

export interface SearchPlan {
  readerId: string;
  collections: { id: number; indexVersion: number; ranking: CollectionRanking }[];
  query: string;
  lexical: LexicalGroup[];
  dense: DenseGroup[];
  threshold: number;
  topK: number;
}

/** How many passages of each kind of search take part in the fusion. */
const DEPTHS = [50, 100];

/**
 * The one statement of a search. Words: the inner product of the query's and the passages' weights, which is BM25 over
 * the collections of a language together. Vectors: the inner product too, per model. The ranks in both lists are fused
 * as weighted reciprocals, scaled so that the first of both has 1; so scores of collections with different settings
 * compare. Passages are shown only after the best were chosen by the narrow tables.
 *
 * `offset 0` keeps the planner from looking at the values: it then sees that a plan for these is none the better, and
 * plans the statement once instead of at every search, which takes longer than searching a small collection. Passages are
 * found by joining the collections: of an array of ids the planner believes that it is long, and reads all there are.
 *
 * Whether the reader may read a collection is a part of it: so it is true at the moment of the search, and takes no
 * round trip of its own.
 */
export function buildSearch(plan: SearchPlan): RawBuilder<SearchHit> {
  const depth = DEPTHS.find((each) => each >= plan.topK) ?? plan.topK;
  const lexical = plan.lexical.map((group, index) => selectByWords(group, index, depth));
  const dense = plan.dense.map((group) => selectByVector(group, depth));
  return sql<SearchHit>`
    with
      wanted as materialized (
        select c.id, each.lexical_weight, each.dense_weight, each.rank_constant
        from (
          select
            ${plan.collections.map(({ id }) => id)}::integer[] as ids,
            ${plan.collections.map(({ indexVersion }) => indexVersion)}::integer[] as versions,
            ${plan.collections.map(({ ranking }) => ranking.lexicalWeight)}::double precision[] as lexical_weights,
            ${plan.collections.map(({ ranking }) => ranking.denseWeight)}::double precision[] as dense_weights,
            ${plan.collections.map(({ ranking }) => ranking.rankConstant)}::double precision[] as rank_constants
          offset 0
        ) asked,
        unnest(asked.ids, asked.versions, asked.lexical_weights, asked.dense_weights, asked.rank_constants)
          as each (id, index_version, lexical_weight, dense_weight, rank_constant)
        -- One that was embedded anew since the caller looked has vectors that the query's cannot be compared with.
        join lamb.collections c on c.id = each.id and c.index_version = each.index_version
        where ${isCollectionReadable(plan.readerId)}
      ),
      ${joinAll(
        plan.lexical.map(
          ({ language, ids }, index) => sql`
      ${nameOf('words', index)} as materialized (
        select terms
        from (select ${ids}::integer[] as ids, ${language}::text as language, ${plan.query}::text as query offset 0) asked,
          lamb.weigh_query(asked.ids, asked.language, asked.query)
      ),`,
        ),
        sql``,
      )}
      lexical as materialized (
        select chunk_id, collection_id, -distance as score, row_number() over (order by distance, chunk_id) as rank
        from (${lexical.length === 0 ? nothing : joinAll(lexical, sql` union all `)}) candidate
        where distance < 0
        order by distance, chunk_id limit ${sql.lit(depth)}
      ),
      ${joinAll(
        dense.map(
          (candidates, index) => sql`
      ${nameOf('dense', index)} as materialized (
        select chunk_id, collection_id, -distance as similarity, row_number() over (order by distance, chunk_id) as rank
        from (${candidates}) candidate
        order by distance, chunk_id limit ${sql.lit(depth)}
      ),`,
        ),
        sql``,
      )}
      found as (
        select chunk_id, collection_id, min(lexical_rank) as lexical_rank, max(lexical_score) as lexical_score,
          min(dense_rank) as dense_rank, 
          case when max(similarity) is not null then least(1, greatest(0, max(similarity))) end as similarity
        from (
          select chunk_id, collection_id, rank as lexical_rank, score as lexical_score, null::bigint as dense_rank,
            null::double precision as similarity
          from lexical
          ${joinAll(
            plan.dense.map((group, index) => addDense(group, index, lexical.length > 0)),
            sql``,
          )}
        ) each group by chunk_id, collection_id
      ),
      scored as (
        select found.*, (
          coalesce(lexical_weight * (rank_constant + 1) / (rank_constant + lexical_rank), 0)
          + coalesce(dense_weight * (rank_constant + 1) / (rank_constant + dense_rank), 0)
        ) / (lexical_weight + dense_weight) as score
        from found join wanted on wanted.id = found.collection_id
        where similarity is null or similarity >= ${plan.threshold}::double precision
      ),
      best as (select * from scored where score > 0 order by score desc, chunk_id limit ${plan.topK}::bigint)
    select best.collection_id as "collectionId", k.document_id as "documentId", best.chunk_id as "chunkId", k.ordinal,
      d.filename, d.title, k.content as text, k.heading_path as "headingPath", k.page_from as "pageFrom",
      k.page_to as "pageTo", k.start_offset as "start", k.end_offset as "end", d.source_url as "sourceUrl", best.score,
      best.similarity, best.lexical_rank as "lexicalRank", best.lexical_score as "lexicalScore",
      best.dense_rank as "denseRank"
    from best join lamb.chunks k on k.id = best.chunk_id join lamb.documents d on d.id = k.document_id
    order by best.score desc, best.chunk_id`;
}

type Fragment = RawBuilder<unknown>;

const nothing = sql`select null::bigint as chunk_id, null::integer as collection_id, null::double precision as distance where false`;

function selectByWords({ ids }: LexicalGroup, index: number, depth: number): Fragment {
  return sql`(
    select chunk_id, collection_id, terms <#> (select terms from ${nameOf('words', index)}) as distance
    from wanted join lamb.chunk_lexemes on collection_id = wanted.id where wanted.id = any (${ids}::integer[])
    order by distance limit ${sql.lit(depth)}
  )`;
}

function selectByVector(group: DenseGroup, depth: number): Fragment {
  const branches = group.indexed.map((id) => {
    const type = sql.raw(`halfvec(${String(group.dimensions)})`);
    const distance = sql`embedding::${type} <#> ${group.vector}::${type}`;
    return sql`(
      select chunk_id, collection_id, ${distance} as distance from lamb.chunk_vectors
      where collection_id = ${sql.lit(id)} and vector_dims(embedding) = ${sql.lit(group.dimensions)}
        and (select exists (select from wanted where id = ${sql.lit(id)}))
      order by ${distance} limit ${sql.lit(depth)}
    )`;
  });
  if (group.exact.length > 0) {
    branches.push(sql`(
      select chunk_id, collection_id, embedding <#> ${group.vector}::halfvec as distance
      from wanted join lamb.chunk_vectors on collection_id = wanted.id where wanted.id = any (${group.exact}::integer[])
      order by distance limit ${sql.lit(depth)}
    )`);
  }
  return joinAll(branches, sql` union all `);
}

/** The ranks by vector; and, for passages that only their words brought up, how similar they are all the same. */
function addDense({ vector, exact, indexed }: DenseGroup, index: number, hasLexical: boolean): Fragment {
  const ranked = sql`
    union all
    select chunk_id, collection_id, null, null, rank, similarity from ${nameOf('dense', index)}`;
  if (!hasLexical) return ranked;
  return sql`${ranked}
    union all
    select lexical.chunk_id, lexical.collection_id, null, null, null, -(v.embedding <#> ${vector}::halfvec)
    from lexical join lamb.chunk_vectors v on v.chunk_id = lexical.chunk_id
    where lexical.collection_id = any (${[...exact, ...indexed]}::integer[])`;
}

function nameOf(part: 'words' | 'dense', index: number): Fragment {
  return sql.raw(`${part}_${String(index)}`);
}

function joinAll(parts: readonly Fragment[], separator: Fragment): Fragment {
  return parts.length === 0 ? sql`` : sql.join(parts, separator);
}
