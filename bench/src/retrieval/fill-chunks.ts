import { embedText } from '@lamb/testing';
import pg from 'pg';
import { createRandom, makePassage } from './make-passages.ts';

export const DIMENSIONS = 512;
const PER_DOCUMENT = 100;
const BATCH = 500;

/** A collection to be made: whose, and how many passages. */
export interface WantedCollection {
  organizationId: string;
  ownerId: string;
  chunks: number;
}

/**
 * Fills collections, as superuser and past the ingestion: as many different passages are made as the largest collection
 * has, and the others hold parts of them. Returns the collections' ids.
 */
export async function fillChunks(adminUrl: string, wanted: readonly WantedCollection[]): Promise<number[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`set session_replication_role = replica; set work_mem = '256MB'; set synchronous_commit = off`);
    await makePool(client, Math.max(...wanted.map(({ chunks }) => chunks)));
    const ids = await makeCollections(client, wanted);
    await client.query(fillStatements);
    await client.query('drop table pool, pool_lexemes, parts');
    await client.query('vacuum analyze');
    return ids;
  } finally {
    await client.end();
  }
}

async function makePool(client: pg.Client, size: number): Promise<void> {
  await client.query(`
    create unlogged table pool (place integer primary key, content text, terms sparsevec(16777216), embedding halfvec);
    alter table pool alter terms set storage external, alter embedding set storage external;
    create unlogged table pool_lexemes (place integer, lexeme integer)`);
  const random = createRandom(1);
  for (let start = 0; start < size; start += BATCH) {
    const passages = Array.from({ length: Math.min(BATCH, size - start) }, () => makePassage(random));
    await client.query(
      `insert into pool select $1 + n, content, terms::sparsevec, embedding::halfvec
       from unnest($2::text[], $3::text[], $4::text[]) with ordinality as each (content, terms, embedding, n)`,
      [
        start,
        passages.map(({ text }) => text),
        passages.map(({ terms }) => terms),
        passages.map(({ text }) => formatEmbedding(embedText(text, DIMENSIONS))),
      ],
    );
    await client.query(
      `insert into pool_lexemes select $1 + place, lexeme from unnest($2::integer[], $3::integer[]) as each (place, lexeme)`,
      [
        start,
        passages.flatMap(({ lexemes }, index) => lexemes.map(() => index + 1)),
        passages.flatMap(({ lexemes }) => lexemes),
      ],
    );
  }
  await client.query('create index on pool_lexemes (place); analyze pool, pool_lexemes');
}

function formatEmbedding(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => value.toPrecision(4)).join(',')}]`;
}

async function makeCollections(client: pg.Client, wanted: readonly WantedCollection[]): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `insert into lamb.collections
       (organization_id, owner_id, name, language, embedding_provider, embedding_model, embedding_dimensions)
     select organization_id, owner_id, 'Collection ' || n, 'simple', 'openai', 'text-embedding-3-small', ${String(DIMENSIONS)}
     from unnest($1::uuid[], $2::uuid[]) with ordinality as each (organization_id, owner_id, n) order by n
     returning id`,
    [wanted.map(({ organizationId }) => organizationId), wanted.map(({ ownerId }) => ownerId)],
  );
  const ids = rows.map((row) => row.id);
  // Which part of the pool a collection holds; they start at different places.
  await client.query(
    `create unlogged table parts as
     select id, organization_id, size, case when size < total then (n * 7919) % (total - size) else 0 end as skipped
     from unnest($1::integer[], $2::uuid[], $3::integer[]) with ordinality as each (id, organization_id, size, n),
       (select count(*)::integer as total from pool) pool`,
    [ids, wanted.map(({ organizationId }) => organizationId), wanted.map(({ chunks }) => chunks)],
  );
  return ids;
}

const fillStatements = `
  insert into lamb.documents (organization_id, collection_id, filename, media_type, size, sha256, status, chunk_count)
  select organization_id, parts.id, 'document ' || n || '.txt', 'text/plain', 80000, sha256(('x' || n)::bytea), 'ready',
    least(${String(PER_DOCUMENT)}, size - n * ${String(PER_DOCUMENT)})
  from parts, generate_series(0, (size - 1) / ${String(PER_DOCUMENT)}) n;
  insert into lamb.chunks (organization_id, collection_id, document_id, ordinal, content, tokens, start_offset, end_offset)
  select parts.organization_id, parts.id, d.id, (place - skipped - 1) % ${String(PER_DOCUMENT)}, content, 150, 0, 0
  from parts
  join pool on place > skipped and place <= skipped + size
  join lamb.documents d on d.collection_id = parts.id
    and d.filename = 'document ' || (place - skipped - 1) / ${String(PER_DOCUMENT)} || '.txt'
  order by parts.id, place;
  create unlogged table made as
  select k.id as chunk_id, k.collection_id, k.organization_id, skipped + 1 + k.ordinal
      + ${String(PER_DOCUMENT)} * substring(d.filename from '\\d+')::integer as place
  from lamb.chunks k join parts on parts.id = k.collection_id join lamb.documents d on d.id = k.document_id;
  insert into lamb.chunk_vectors (chunk_id, collection_id, organization_id, embedding)
  select chunk_id, collection_id, organization_id, l2_normalize(embedding) from made join pool using (place) order by 1;
  insert into lamb.chunk_lexemes (chunk_id, collection_id, organization_id, terms)
  select chunk_id, collection_id, organization_id, terms from made join pool using (place) order by 1;
  insert into lamb.lexeme_stats (collection_id, organization_id, chunks) select id, organization_id, size from parts;
  insert into lamb.lexeme_frequencies (collection_id, organization_id, lexeme, chunks)
  select collection_id, organization_id, lexeme, count(*) from made join pool_lexemes using (place)
  group by 1, 2, 3 order by 1, 3;
  drop table made;`;
