-- Every table of this schema that belongs to an organisation follows one pattern: organization_id, filled from the
-- transaction's organisation; row-level security, forced for the owner too; foreign keys that carry organization_id,
-- because the check behind a foreign key does not see row-level security.

create table lamb.assistants (
  id bigint generated always as identity primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  owner_id uuid not null references auth."user" (id),
  -- Sorted as people expect, whatever locale the database was made with.
  name text collate "und-x-icu" not null,
  description text not null default '',
  -- Folded once when it is written: a search compares bytes, row by row through the organisation.
  search_text text collate "C" not null
    generated always as (lower((name || E'\n' || description) collate "und-x-icu")) stored,
  assistant_type text not null default 'classic' check (assistant_type in ('classic', 'multi_tool')),
  api_callback text not null default '',
  system_prompt text not null default '',
  prompt_template text not null default '',
  rag_endpoint text not null default '',
  rag_top_k integer,
  rag_collections text not null default '',
  pre_retrieval_endpoint text not null default '',
  post_retrieval_endpoint text not null default '',
  published_name text,
  published_at timestamptz(3),
  published_by uuid,
  group_id text,
  group_name text,
  oauth_consumer_name text,
  version integer not null default 1,
  -- Milliseconds, as in JavaScript: a cursor carries the exact value.
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  unique (organization_id, id),
  check ((published_at is null) = (published_name is null))
);

comment on column lamb.assistants.api_callback is 'The metadata: a JSON string, kept as it came. The name is historical.';

create unique index assistants_owner_name_key on lamb.assistants (organization_id, owner_id, name)
  where deleted_at is null;
-- owner_id first: the foreign key needs it too, and the organisation is a condition of the index either way.
create index assistants_owner_updated_idx on lamb.assistants (owner_id, organization_id, updated_at, id)
  where deleted_at is null;
create index assistants_updated_idx on lamb.assistants (organization_id, updated_at, id)
  where deleted_at is null;
create index assistants_created_idx on lamb.assistants (organization_id, created_at, id)
  where deleted_at is null;
create index assistants_name_idx on lamb.assistants (organization_id, name, id)
  where deleted_at is null;
create index assistants_published_updated_idx on lamb.assistants (organization_id, updated_at, id)
  where deleted_at is null and published_at is not null;
create index assistants_published_created_idx on lamb.assistants (organization_id, created_at, id)
  where deleted_at is null and published_at is not null;
create index assistants_published_name_sort_idx on lamb.assistants (organization_id, name, id)
  where deleted_at is null and published_at is not null;
create index assistants_published_as_idx on lamb.assistants (organization_id, published_name)
  where deleted_at is null and published_at is not null;

alter table lamb.assistants enable row level security;
alter table lamb.assistants force row level security;
create policy tenant on lamb.assistants
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.assistants to lamb_app;

create table lamb.assistant_shares (
  assistant_id bigint not null,
  user_id uuid not null references auth."user" (id) on delete cascade,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  shared_by uuid,
  created_at timestamptz(3) not null default now(),
  primary key (assistant_id, user_id),
  foreign key (organization_id, assistant_id) references lamb.assistants (organization_id, id) on delete cascade
);

create index assistant_shares_user_idx on lamb.assistant_shares (user_id, organization_id, assistant_id);

alter table lamb.assistant_shares enable row level security;
alter table lamb.assistant_shares force row level security;
create policy tenant on lamb.assistant_shares
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.assistant_shares to lamb_app;
