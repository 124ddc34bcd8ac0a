create table lamb.rubrics (
  rubric_id uuid primary key default gen_random_uuid(),
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  legacy_id bigint,
  owner_id uuid not null references auth."user" (id),
  title text not null,
  description text not null default '',
  data jsonb not null check (jsonb_typeof(data) = 'object'),
  is_public boolean not null default false,
  is_showcase boolean not null default false,
  parent_id uuid,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (organization_id, rubric_id),
  unique (organization_id, legacy_id),
  foreign key (organization_id, parent_id) references lamb.rubrics (organization_id, rubric_id)
    on delete set null (parent_id)
);

create index rubrics_owner_updated_idx on lamb.rubrics (owner_id, organization_id, updated_at, rubric_id);
create index rubrics_public_updated_idx on lamb.rubrics (organization_id, updated_at, rubric_id) where is_public;
create index rubrics_parent_idx on lamb.rubrics (organization_id, parent_id) where parent_id is not null;

alter table lamb.rubrics enable row level security;
alter table lamb.rubrics force row level security;
create policy tenant on lamb.rubrics
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.rubrics to lamb_app;
