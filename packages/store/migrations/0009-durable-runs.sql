-- Runs that survive the process that started them, and the chats they answer in.

create table lamb.chats (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  user_id uuid not null references auth."user" (id),
  assistant_id bigint not null,
  title text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (organization_id, id),
  foreign key (organization_id, assistant_id) references lamb.assistants (organization_id, id)
);
create index chats_user_updated_idx on lamb.chats (user_id, organization_id, updated_at, id);
create index chats_assistant_idx on lamb.chats (organization_id, assistant_id);

alter table lamb.chats enable row level security;
alter table lamb.chats force row level security;
create policy tenant on lamb.chats
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.chats to lamb_app;

create table lamb.chat_messages (
  id bigint generated always as identity primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  chat_id uuid not null,
  -- The run that said it, or that it was said to.
  run_id uuid,
  message jsonb not null,
  created_at timestamptz(3) not null default now(),
  foreign key (organization_id, chat_id) references lamb.chats (organization_id, id) on delete cascade
);
create index chat_messages_chat_idx on lamb.chat_messages (organization_id, chat_id, id);
-- A run that is finished twice, because the process died in between, answers once.
create unique index chat_messages_answer_key on lamb.chat_messages (run_id, (message ->> 'role')) where run_id is not null;

alter table lamb.chat_messages enable row level security;
alter table lamb.chat_messages force row level security;
create policy tenant on lamb.chat_messages
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.chat_messages to lamb_app;

create table lamb.runs (
  id uuid primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  assistant_id bigint not null,
  user_id uuid not null,
  chat_id uuid,
  status text not null default 'running' check (status in ('running', 'waiting', 'finished', 'failed', 'cancelled')),
  -- What the run works with, as it was when it started: who asked, the assistant's content, the request.
  input jsonb not null,
  started_on date not null default current_date,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  unique (organization_id, id)
);
create index runs_user_idx on lamb.runs (organization_id, user_id, created_at, id);
create index runs_chat_idx on lamb.runs (organization_id, chat_id, created_at) where chat_id is not null;

alter table lamb.runs enable row level security;
alter table lamb.runs force row level security;
create policy tenant on lamb.runs
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.runs to lamb_app;

-- What belongs to no organisation but to the running of the whole.
create schema ops;
grant usage on schema ops to lamb_app;

-- Which attempt at a run may write its events. It is asked for all organisations at once by the writer that commits the
-- events of all of a process's runs together.
create table ops.run_leases (
  run_id uuid primary key references lamb.runs (id) on delete cascade,
  epoch integer not null default 1
);
grant select, insert, update, delete on ops.run_leases to lamb_app;

-- The effects that must happen once, from just before they are tried.
create table lamb.run_effects (
  run_id uuid not null,
  step text not null,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  created_at timestamptz(3) not null default now(),
  primary key (run_id, step),
  foreign key (organization_id, run_id) references lamb.runs (organization_id, id) on delete cascade
);
alter table lamb.run_effects enable row level security;
alter table lamb.run_effects force row level security;
create policy tenant on lamb.run_effects
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert on lamb.run_effects to lamb_app;

-- The event log, one partition a day by the day the run started: old ones are dropped whole. One insert carries the
-- events of many organisations, so writing is not bound to one; what keeps a row in its organisation is the foreign key
-- to the run. Reading is bound as everywhere.
create table lamb.run_events (
  started_on date not null,
  run_id uuid not null,
  seq integer not null,
  organization_id uuid not null,
  event jsonb not null,
  primary key (started_on, run_id, seq),
  foreign key (organization_id, run_id) references lamb.runs (organization_id, id) on delete cascade
) partition by range (started_on);

alter table lamb.run_events enable row level security;
alter table lamb.run_events force row level security;
create policy tenant on lamb.run_events for select
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
create policy writer on lamb.run_events for insert with check (true);
grant select, insert on lamb.run_events to lamb_app;

-- The application's role owns nothing and cannot make partitions; these do it for it, and nothing else.
create function lamb.ensure_run_event_partition(day date) returns void
language plpgsql security definer set search_path = pg_catalog as $$
declare
  name text := 'run_events_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass('lamb.' || name) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext('lamb.run_events partitions'));
  if to_regclass('lamb.' || name) is not null then return; end if;
  execute format('create table lamb.%I partition of lamb.run_events for values from (%L) to (%L)', name, day, day + 1);
  execute format('alter table lamb.%I enable row level security', name);
  execute format('alter table lamb.%I force row level security', name);
  execute format(
    'create policy tenant on lamb.%I using (organization_id = (select nullif(current_setting(''app.org_id'', true), '''')::uuid))',
    name
  );
end $$;

create function lamb.drop_run_event_partitions(before date) returns integer
language plpgsql security definer set search_path = pg_catalog as $$
declare
  partition record;
  dropped integer := 0;
begin
  for partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'lamb.run_events'::regclass and c.relname < 'run_events_' || to_char(before, 'YYYYMMDD')
  loop
    execute format('drop table lamb.%I', partition.relname);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
revoke all on function lamb.ensure_run_event_partition(date), lamb.drop_run_event_partitions(date) from public;
grant execute on function lamb.ensure_run_event_partition(date), lamb.drop_run_event_partitions(date) to lamb_app;

-- The processes that execute runs, and when each was last seen alive.
create table ops.executors (
  id text primary key,
  seen_at timestamptz(3) not null default now()
);
grant select, insert, update, delete on ops.executors to lamb_app;
