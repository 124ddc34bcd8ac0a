-- Money is kept in millionths of the organisation's currency; months are those of UTC. Ids of users carry no foreign
-- key where they say what happened: that stays true when the user is gone.

alter table lamb.usage_ledger add column cost_micros bigint not null default 0 check (cost_micros >= 0);

create table lamb.model_prices (
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  connector text not null,
  model text not null,
  -- For a million tokens.
  prompt_micros bigint not null check (prompt_micros >= 0),
  completion_micros bigint not null check (completion_micros >= 0),
  primary key (organization_id, connector, model)
);

alter table lamb.model_prices enable row level security;
alter table lamb.model_prices force row level security;
create policy tenant on lamb.model_prices
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.model_prices to lamb_app;

-- Null: no cap.
create table lamb.organization_caps (
  organization_id uuid primary key default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  currency text not null default 'EUR',
  tokens bigint check (tokens >= 0),
  micros bigint check (micros >= 0),
  -- For each user who has no caps of their own.
  user_tokens bigint check (user_tokens >= 0),
  user_micros bigint check (user_micros >= 0)
);

alter table lamb.organization_caps enable row level security;
alter table lamb.organization_caps force row level security;
create policy tenant on lamb.organization_caps
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.organization_caps to lamb_app;

create table lamb.user_caps (
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  user_id uuid not null references auth."user" (id) on delete cascade,
  tokens bigint check (tokens >= 0),
  micros bigint check (micros >= 0),
  primary key (organization_id, user_id)
);

create index user_caps_user_idx on lamb.user_caps (user_id);

alter table lamb.user_caps enable row level security;
alter table lamb.user_caps force row level security;
create policy tenant on lamb.user_caps
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.user_caps to lamb_app;

-- Who takes several of these locks takes the organisation's first: it is the one that orders all others.
create table lamb.budget_counters (
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  month date not null check (month = date_trunc('month', month)),
  -- A user; the organisation's own id for all of them together.
  subject_id uuid not null,
  reserved_tokens bigint not null default 0 check (reserved_tokens >= 0),
  reserved_micros bigint not null default 0 check (reserved_micros >= 0),
  settled_tokens bigint not null default 0 check (settled_tokens >= 0),
  settled_micros bigint not null default 0 check (settled_micros >= 0),
  primary key (organization_id, month, subject_id)
) with (fillfactor = 50);

alter table lamb.budget_counters enable row level security;
alter table lamb.budget_counters force row level security;
create policy tenant on lamb.budget_counters
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.budget_counters to lamb_app;

create table lamb.budget_reservations (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  run_id uuid not null,
  step text not null,
  user_id uuid not null,
  month date not null,
  tokens bigint not null check (tokens >= 0),
  micros bigint not null check (micros >= 0),
  -- False once it has expired and was taken out of the counters; what was used can still be settled.
  held boolean not null default true,
  expires_at timestamptz(3) not null,
  unique (organization_id, run_id, step)
);

create index budget_reservations_expiry_idx on lamb.budget_reservations (organization_id, expires_at);

alter table lamb.budget_reservations enable row level security;
alter table lamb.budget_reservations force row level security;
create policy tenant on lamb.budget_reservations
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.budget_reservations to lamb_app;
