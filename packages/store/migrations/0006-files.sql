create table lamb.files (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  owner_id uuid not null references auth."user" (id),
  path text collate "C" not null,
  media_type text not null,
  size bigint not null check (size >= 0),
  sha256 bytea not null check (octet_length(sha256) = 32),
  created_at timestamptz(3) not null default now(),
  unique (organization_id, id)
);

create unique index files_owner_path_key on lamb.files (owner_id, organization_id, path);
create index files_owner_created_idx on lamb.files (owner_id, organization_id, created_at, id);
-- With size, so that the storage used by an organisation is summed from the index alone.
create index files_created_idx on lamb.files (organization_id, created_at, id) include (size);

alter table lamb.files enable row level security;
alter table lamb.files force row level security;
create policy tenant on lamb.files
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.files to lamb_app;

-- Content has a table of its own, so that nothing reads it by accident.
create table lamb.file_contents (
  file_id uuid primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  content bytea not null,
  foreign key (organization_id, file_id) references lamb.files (organization_id, id) on delete cascade
);
-- Uncompressed: the first bytes of a large file are read without the rest.
alter table lamb.file_contents alter column content set storage external;

alter table lamb.file_contents enable row level security;
alter table lamb.file_contents force row level security;
create policy tenant on lamb.file_contents
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.file_contents to lamb_app;
