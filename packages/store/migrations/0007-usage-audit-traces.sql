-- The ledger and the log only grow: the application may add and read, not change or remove. They carry no foreign keys
-- to users and assistants, because what happened stays true when those are gone.

create table lamb.usage_ledger (
  id bigint generated always as identity primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  run_id uuid not null,
  user_id uuid not null,
  assistant_id bigint,
  connector text not null,
  model text not null,
  prompt_tokens integer not null check (prompt_tokens >= 0),
  completion_tokens integer not null check (completion_tokens >= 0),
  total_tokens integer not null check (total_tokens >= 0),
  estimated boolean not null,
  outcome text not null,
  duration_ms integer not null check (duration_ms >= 0),
  created_at timestamptz(3) not null default now()
);

create index usage_ledger_created_idx on lamb.usage_ledger (organization_id, created_at)
  include (prompt_tokens, completion_tokens, total_tokens);
create index usage_ledger_assistant_idx on lamb.usage_ledger (organization_id, assistant_id, created_at);
create index usage_ledger_user_idx on lamb.usage_ledger (organization_id, user_id, created_at);

alter table lamb.usage_ledger enable row level security;
alter table lamb.usage_ledger force row level security;
create policy tenant on lamb.usage_ledger
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert on lamb.usage_ledger to lamb_app;

create table lamb.audit_log (
  id bigint generated always as identity primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  actor_id uuid,
  action text not null,
  subject text not null,
  details jsonb not null default '{}',
  created_at timestamptz(3) not null default now()
);

create index audit_log_organization_idx on lamb.audit_log (organization_id, id);
create index audit_log_subject_idx on lamb.audit_log (organization_id, subject, id);

alter table lamb.audit_log enable row level security;
alter table lamb.audit_log force row level security;
create policy tenant on lamb.audit_log
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert on lamb.audit_log to lamb_app;

create table lamb.run_traces (
  run_id uuid primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  assistant_id bigint not null,
  user_id uuid not null,
  trace jsonb not null,
  created_at timestamptz(3) not null default now()
);

alter table lamb.run_traces enable row level security;
alter table lamb.run_traces force row level security;
create policy tenant on lamb.run_traces
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.run_traces to lamb_app;
