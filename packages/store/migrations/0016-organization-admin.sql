-- What somebody is, and whether they may come in, is said by each membership for itself: an administrator of one
-- organisation decides nothing in another that the same person belongs to. "kind" and "enabled" of the user stay the
-- operator's.
alter table auth.member
  add column "enabled" boolean not null default true,
  add column "lastSeenAt" timestamptz(3);

update auth.member as m set "role" = 'end_user'
from auth."user" as u where u.id = m."userId" and u."kind" = 'end_user';

alter table auth."user" add column "language" text;

-- Copied from the configuration, for people who have not said yet which organisation they want to belong to.
alter table auth.organization add column "signUpOpen" boolean not null default false;

-- Counts the changes, so that nobody overwrites what they have not seen.
alter table lamb.organization_settings add column version integer not null default 1;

create table lamb.invitations (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'end_user')),
  -- Of the token only this is kept.
  token_digest bytea not null unique check (octet_length(token_digest) = 32),
  invited_by uuid not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  accepted_by uuid,
  revoked_at timestamptz(3),
  unique (organization_id, id)
);

create unique index invitations_pending_email_key on lamb.invitations (organization_id, lower(email))
  where accepted_at is null and revoked_at is null;
create index invitations_created_idx on lamb.invitations (organization_id, created_at, id);

alter table lamb.invitations enable row level security;
alter table lamb.invitations force row level security;
create policy tenant on lamb.invitations
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.invitations to lamb_app;

create index audit_log_actor_idx on lamb.audit_log (organization_id, actor_id, id);
create index audit_log_action_idx on lamb.audit_log (organization_id, action, id);

-- The ledger summed up by day, for charts: a month of a large organisation is millions of entries.
create table lamb.usage_daily (
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  day date not null,
  user_id uuid not null,
  -- 0: without an assistant.
  assistant_id bigint not null,
  connector text not null,
  model text not null,
  calls bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  total_tokens bigint not null,
  cost_micros bigint not null,
  primary key (organization_id, day, user_id, assistant_id, connector, model)
);

alter table lamb.usage_ledger no force row level security;
insert into lamb.usage_daily
select organization_id, (created_at at time zone 'utc')::date, user_id, coalesce(assistant_id, 0), connector, model,
  count(*), sum(prompt_tokens), sum(completion_tokens), sum(total_tokens), sum(cost_micros)
from lamb.usage_ledger group by 1, 2, 3, 4, 5, 6;
alter table lamb.usage_ledger force row level security;

alter table lamb.usage_daily enable row level security;
alter table lamb.usage_daily force row level security;
create policy tenant on lamb.usage_daily
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update on lamb.usage_daily to lamb_app;

create function lamb.sum_up_usage() returns trigger language plpgsql as $$
begin
  -- In the order of the key: two batches that meet wait for each other in one direction only.
  insert into lamb.usage_daily as daily
  select organization_id, (created_at at time zone 'utc')::date, user_id, coalesce(assistant_id, 0), connector, model,
    count(*), sum(prompt_tokens), sum(completion_tokens), sum(total_tokens), sum(cost_micros)
  from added group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (organization_id, day, user_id, assistant_id, connector, model) do update set
    calls = daily.calls + excluded.calls,
    prompt_tokens = daily.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = daily.completion_tokens + excluded.completion_tokens,
    total_tokens = daily.total_tokens + excluded.total_tokens,
    cost_micros = daily.cost_micros + excluded.cost_micros;
  return null;
end $$;

create trigger sum_up_usage after insert on lamb.usage_ledger
  referencing new table as added for each statement execute function lamb.sum_up_usage();

-- For one image; tokens of the same model are paid as well.
alter table lamb.model_prices add column image_micros bigint not null default 0 check (image_micros >= 0);
alter table lamb.usage_ledger add column images integer not null default 0 check (images >= 0);

-- So that what a person leaves behind can be given to somebody else.
grant update (owner_id, path) on lamb.files to lamb_app;
