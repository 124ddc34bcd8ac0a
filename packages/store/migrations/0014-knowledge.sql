-- Collections of documents that assistants answer from. What is searched lies in two narrow tables, chunk_vectors and
-- chunk_lexemes; what is shown, in wide ones. docs/decisions/0014-retrieval-in-postgresql.md says why.

create table lamb.collections (
  -- An integer: the older knowledge-base interface knows no other.
  id integer generated always as identity primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  owner_id uuid not null references auth."user" (id),
  name text collate "und-x-icu" not null,
  description text not null default '',
  search_text text collate "C" not null
    generated always as (lower((name || E'\n' || description) collate "und-x-icu")) stored,
  visibility text not null default 'private' check (visibility in ('private', 'organization')),
  -- A text search configuration of PostgreSQL's own.
  language text not null default 'simple' check (language ~ '^[a-z]+$'),
  embedding_provider text not null,
  embedding_model text not null,
  embedding_dimensions integer not null check (embedding_dimensions between 1 and 4000),
  chunk_tokens integer not null default 300 check (chunk_tokens > 0),
  chunk_overlap integer not null default 40 check (chunk_overlap >= 0),
  lexical_weight double precision not null default 2 check (lexical_weight >= 0),
  dense_weight double precision not null default 1 check (dense_weight >= 0),
  rank_constant double precision not null default 10 check (rank_constant > 0),
  -- Counts the changes of language, chunking and embedding: what was prepared for an earlier one is not mixed in.
  index_version integer not null default 1,
  -- The job that reads all documents anew, while there is one.
  reindex_job_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (organization_id, id),
  check (lexical_weight + dense_weight > 0)
);

create unique index collections_owner_name_key on lamb.collections (organization_id, owner_id, name);
create index collections_owner_updated_idx on lamb.collections (owner_id, organization_id, updated_at, id);
create index collections_organization_updated_idx on lamb.collections (organization_id, updated_at, id)
  where visibility = 'organization';

alter table lamb.collections enable row level security;
alter table lamb.collections force row level security;
create policy tenant on lamb.collections
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.collections to lamb_app;

create table lamb.collection_shares (
  collection_id integer not null,
  user_id uuid not null references auth."user" (id) on delete cascade,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  shared_by uuid,
  created_at timestamptz(3) not null default now(),
  primary key (collection_id, user_id),
  foreign key (organization_id, collection_id) references lamb.collections (organization_id, id) on delete cascade
);

create index collection_shares_user_idx on lamb.collection_shares (user_id, organization_id, collection_id);

alter table lamb.collection_shares enable row level security;
alter table lamb.collection_shares force row level security;
create policy tenant on lamb.collection_shares
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.collection_shares to lamb_app;

create table lamb.documents (
  id uuid primary key default gen_random_uuid(),
  -- For the older knowledge-base interface.
  number integer generated always as identity,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  collection_id integer not null,
  filename text not null,
  title text,
  media_type text not null,
  size bigint not null check (size >= 0),
  sha256 bytea not null check (octet_length(sha256) = 32),
  source_url text,
  status text not null default 'queued'
    check (status in ('queued', 'extracting', 'embedding', 'ready', 'failed', 'cancelled')),
  progress_done integer not null default 0,
  progress_total integer not null default 0,
  progress_text text,
  problem text,
  pages integer,
  chunk_count integer not null default 0,
  -- The job that works on it, or did last, and how often it was begun.
  job_id uuid,
  attempt integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (organization_id, id),
  -- Without a cascade here and from chunks: a document goes only after the frequencies of its words were subtracted.
  foreign key (organization_id, collection_id) references lamb.collections (organization_id, id)
);

create unique index documents_collection_sha256_key on lamb.documents (collection_id, sha256);
create unique index documents_number_key on lamb.documents (number);
create index documents_created_idx on lamb.documents (collection_id, organization_id, created_at, id)
  include (size, chunk_count);
create index documents_job_idx on lamb.documents (job_id) where job_id is not null;

alter table lamb.documents enable row level security;
alter table lamb.documents force row level security;
create policy tenant on lamb.documents
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.documents to lamb_app;

create table lamb.document_contents (
  document_id uuid primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  content bytea not null,
  foreign key (organization_id, document_id) references lamb.documents (organization_id, id) on delete cascade
);
alter table lamb.document_contents alter column content set storage external;

alter table lamb.document_contents enable row level security;
alter table lamb.document_contents force row level security;
create policy tenant on lamb.document_contents
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.document_contents to lamb_app;

-- What was read out of a document: cutting it anew and showing a passage need no parser.
create table lamb.document_texts (
  document_id uuid primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  text text not null,
  blocks jsonb not null,
  created_at timestamptz(3) not null default now(),
  foreign key (organization_id, document_id) references lamb.documents (organization_id, id) on delete cascade
);

alter table lamb.document_texts enable row level security;
alter table lamb.document_texts force row level security;
create policy tenant on lamb.document_texts
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.document_texts to lamb_app;

create table lamb.chunks (
  id bigint generated always as identity primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  collection_id integer not null,
  document_id uuid not null,
  ordinal integer not null,
  content text not null,
  heading_path text[] not null default '{}',
  page_from integer,
  page_to integer,
  tokens integer not null,
  -- Where it is in the document's text, in JavaScript's units.
  start_offset integer not null,
  end_offset integer not null,
  unique (document_id, ordinal),
  foreign key (organization_id, document_id) references lamb.documents (organization_id, id)
);
create index chunks_collection_idx on lamb.chunks (collection_id);

alter table lamb.chunks enable row level security;
alter table lamb.chunks force row level security;
create policy tenant on lamb.chunks
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.chunks to lamb_app;

-- Of length 1, so that the inner product is the cosine. The number of dimensions is the collection's.
create table lamb.chunk_vectors (
  chunk_id bigint primary key,
  collection_id integer not null,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  embedding halfvec not null,
  foreign key (organization_id, collection_id) references lamb.collections (organization_id, id)
) with (toast_tuple_target = 8160);
-- In the row and uncompressed as long as it fits into a page: a search reads all of a collection's.
alter table lamb.chunk_vectors alter column embedding set storage external;
create index chunk_vectors_collection_idx on lamb.chunk_vectors (collection_id);

alter table lamb.chunk_vectors enable row level security;
alter table lamb.chunk_vectors force row level security;
create policy tenant on lamb.chunk_vectors
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.chunk_vectors to lamb_app;

-- The weight of each word in a passage; its inner product with the weights of a query's words is BM25.
create table lamb.chunk_lexemes (
  chunk_id bigint primary key,
  collection_id integer not null,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  terms sparsevec(16777216) not null,
  foreign key (organization_id, collection_id) references lamb.collections (organization_id, id)
) with (toast_tuple_target = 8160);
alter table lamb.chunk_lexemes alter column terms set storage external;
create index chunk_lexemes_collection_idx on lamb.chunk_lexemes (collection_id);

alter table lamb.chunk_lexemes enable row level security;
alter table lamb.chunk_lexemes force row level security;
create policy tenant on lamb.chunk_lexemes
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.chunk_lexemes to lamb_app;

-- How many passages a collection has, and in how many of them each word is.
create table lamb.lexeme_stats (
  collection_id integer primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  chunks integer not null check (chunks >= 0),
  foreign key (organization_id, collection_id) references lamb.collections (organization_id, id)
);

alter table lamb.lexeme_stats enable row level security;
alter table lamb.lexeme_stats force row level security;
create policy tenant on lamb.lexeme_stats
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.lexeme_stats to lamb_app;

create table lamb.lexeme_frequencies (
  collection_id integer not null,
  lexeme integer not null,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  chunks integer not null check (chunks >= 0),
  primary key (collection_id, lexeme),
  foreign key (organization_id, collection_id) references lamb.collections (organization_id, id)
);

alter table lamb.lexeme_frequencies enable row level security;
alter table lamb.lexeme_frequencies force row level security;
create policy tenant on lamb.lexeme_frequencies
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.lexeme_frequencies to lamb_app;

-- A document as a job has cut it, until the job puts it in the place of what is searched.
create table lamb.document_drafts (
  job_id uuid not null,
  document_id uuid not null,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  chunk_count integer not null,
  created_at timestamptz(3) not null default now(),
  primary key (job_id, document_id),
  unique (organization_id, job_id, document_id),
  foreign key (organization_id, document_id) references lamb.documents (organization_id, id) on delete cascade
);
create index document_drafts_document_idx on lamb.document_drafts (organization_id, document_id);

alter table lamb.document_drafts enable row level security;
alter table lamb.document_drafts force row level security;
create policy tenant on lamb.document_drafts
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.document_drafts to lamb_app;

create table lamb.chunk_drafts (
  job_id uuid not null,
  document_id uuid not null,
  ordinal integer not null,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  content text not null,
  heading_path text[] not null default '{}',
  page_from integer,
  page_to integer,
  tokens integer not null,
  start_offset integer not null,
  end_offset integer not null,
  embedding halfvec,
  primary key (job_id, document_id, ordinal),
  foreign key (organization_id, job_id, document_id)
    references lamb.document_drafts (organization_id, job_id, document_id) on delete cascade
);
alter table lamb.chunk_drafts alter column embedding set storage external;
create index chunk_drafts_waiting_idx on lamb.chunk_drafts (job_id, document_id, ordinal) where embedding is null;

alter table lamb.chunk_drafts enable row level security;
alter table lamb.chunk_drafts force row level security;
create policy tenant on lamb.chunk_drafts
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.chunk_drafts to lamb_app;

-- The functions' bodies are of the standard's kind, bound to what they call when they are made: no search path can
-- change what they do.

-- A word's place in a vector of 2^24.
create function lamb.lexeme_index(lexeme text) returns integer
language sql immutable strict parallel safe
return ('x' || substr(md5(lexeme), 1, 6))::bit(24)::integer + 1;

-- The words of a passage; those of its heading path count twice, since they say what all of it is about.
create function lamb.index_words(language text, heading_path text[], content text) returns tsvector
language sql stable parallel safe
return to_tsvector(
  ('pg_catalog.' || language)::regconfig, repeat(array_to_string(heading_path, ' ') || ' ', 2) || content
);

-- BM25's part that depends on the passage alone, with k1 = 1.2 and b = 0.75.
create function lamb.weigh_terms(words tsvector, mean_length double precision) returns sparsevec
language sql immutable parallel safe
begin atomic
  with
    term as (
      select lamb.lexeme_index(lexeme) as place, sum(cardinality(positions))::double precision as n
      from unnest(words) group by 1
    ),
    passage as (select sum(n) as length from term)
  select coalesce(
    '{' || string_agg(
      place::text || ':' || (n * 2.2 / (n + 1.2 * (0.25 + 0.75 * length / mean_length)))::real::text, ','
    ) || '}/16777216',
    '{}/16777216'
  )::sparsevec
  from term, passage;
end;

-- Which words a passage has; what is counted when it comes is thereby what is subtracted when it goes.
create function lamb.list_lexemes(terms sparsevec) returns setof integer
language sql immutable strict parallel safe
begin atomic
  select split_part(entry, ':', 1)::integer
  from string_to_table(btrim(split_part(terms::text, '/', 1), '{}'), ',') as entry
  where entry <> '';
end;

-- BM25's other part: how rare each word of the query is in the collections. A table, so that it becomes part of the plan.
create function lamb.weigh_query(collections integer[], language text, query text) returns table (terms sparsevec)
language sql stable parallel safe
begin atomic
  select coalesce(
    '{' || string_agg(
      found.lexeme::text || ':' || ln(1 + (total.n - found.n + 0.5) / (found.n + 0.5))::real::text, ','
    ) || '}/16777216',
    '{}/16777216'
  )::sparsevec
  from
    (
      select f.lexeme, sum(f.chunks)::double precision as n
      from (
        select distinct lamb.lexeme_index(lexeme) as lexeme
        from unnest(to_tsvector(('pg_catalog.' || language)::regconfig, query))
      ) word
      join lamb.lexeme_frequencies f on f.lexeme = word.lexeme and f.collection_id = any (collections)
      where f.chunks > 0
      group by f.lexeme
    ) found,
    (
      select coalesce(sum(chunks), 0)::double precision as n
      from lamb.lexeme_stats where collection_id = any (collections)
    ) total;
end;

grant execute on function
  lamb.lexeme_index(text), lamb.index_words(text, text[], text), lamb.weigh_terms(tsvector, double precision),
  lamb.list_lexemes(sparsevec), lamb.weigh_query(integer[], text, text)
  to lamb_app;

-- Large collections have a vector index of their own. Which ones should and do is known for all organisations together:
-- an index belongs to the running of the whole, and is still to be dropped when its collection is gone.
create table ops.vector_indexes (
  collection_id integer primary key,
  wanted_dimensions integer check (wanted_dimensions between 1 and 4000),
  built_dimensions integer
);
grant select, insert, update on ops.vector_indexes to lamb_app;

-- Does the next thing that a collection's vector index needs, if any: 'built', 'dropped', or null. The application's role
-- owns nothing and cannot make indexes; this does it for it, and nothing else. Not concurrently, which no function can:
-- publishing passages waits meanwhile, searching does not. It gives up when it has to wait for the table for long, since
-- everybody after it would have to wait too.
create function lamb.keep_vector_index(collection integer) returns text
language plpgsql security definer
set search_path = pg_catalog set lock_timeout = '3s' set maintenance_work_mem = '512MB' as $$
declare
  state ops.vector_indexes;
  extension regnamespace := (select extnamespace::regnamespace from pg_extension where extname = 'vector');
begin
  select * into state from ops.vector_indexes v where v.collection_id = collection for update skip locked;
  if not found or state.wanted_dimensions is not distinct from state.built_dimensions then return null; end if;
  if state.built_dimensions is not null then
    execute format('drop index if exists lamb.chunk_vectors_hnsw_%s_%s', collection, state.built_dimensions);
    update ops.vector_indexes v set built_dimensions = null where v.collection_id = collection;
    return 'dropped';
  end if;
  -- With the number of dimensions as a condition: while a collection is embedded anew, both kinds pass.
  execute format(
    'create index chunk_vectors_hnsw_%1$s_%2$s on lamb.chunk_vectors
     using hnsw ((embedding::%3$s.halfvec(%2$s)) %3$s.halfvec_ip_ops)
     where collection_id = %1$s and %3$s.vector_dims(embedding) = %2$s',
    collection, state.wanted_dimensions, extension
  );
  update ops.vector_indexes v set built_dimensions = state.wanted_dimensions where v.collection_id = collection;
  return 'built';
end $$;
revoke all on function lamb.keep_vector_index(integer) from public;
grant execute on function lamb.keep_vector_index(integer) to lamb_app;
