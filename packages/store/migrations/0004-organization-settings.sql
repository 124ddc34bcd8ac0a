create table lamb.organization_settings (
  organization_id uuid primary key default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  updated_at timestamptz(3) not null default now()
);

alter table lamb.organization_settings enable row level security;
alter table lamb.organization_settings force row level security;
create policy tenant on lamb.organization_settings
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.organization_settings to lamb_app;

create table lamb.organization_secrets (
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  name text not null,
  key_id text not null,
  ciphertext bytea not null,
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, name)
);

alter table lamb.organization_secrets enable row level security;
alter table lamb.organization_secrets force row level security;
create policy tenant on lamb.organization_secrets
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.organization_secrets to lamb_app;
