-- Whether the organisation, or its identity provider, has confirmed that the e-mail address is this person's. Each
-- organisation confirms for itself: what one believes is nothing that another has to.
alter table auth.member add column "emailConfirmed" boolean not null default false;

-- Addresses that an identity provider or the operator had confirmed, and those that an administrator had invited.
update auth.member as m set "emailConfirmed" = true
from auth."user" as u where u.id = m."userId" and u."emailVerified";

alter table lamb.invitations no force row level security;
update auth.member as m set "emailConfirmed" = true
from lamb.invitations as i where i.organization_id = m."organizationId" and i.accepted_by = m."userId";
alter table lamb.invitations force row level security;

-- A run goes with all that is kept of it. With the day in the key, its events are sought in the one partition that has
-- them, by the index that there is.
alter table lamb.runs add unique (organization_id, started_on, id);
alter table lamb.run_events drop constraint run_events_organization_id_run_id_fkey;
alter table lamb.run_events add foreign key (organization_id, started_on, run_id)
  references lamb.runs (organization_id, started_on, id) on delete cascade;

create index run_traces_created_idx on lamb.run_traces (organization_id, created_at);

-- What is under way needs its events, however long it waits: nothing is dropped that is as new as the oldest of it.
create or replace function lamb.drop_run_event_partitions(before date) returns integer
language plpgsql security definer set search_path = pg_catalog as $$
declare
  partition record;
  dropped integer := 0;
  -- A day earlier, because a run may have begun before midnight and its lease after.
  kept date := least(before, (select min(created_at at time zone 'utc')::date - 1 from ops.run_leases));
begin
  for partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'lamb.run_events'::regclass and c.relname < 'run_events_' || to_char(kept, 'YYYYMMDD')
  loop
    execute format('drop table lamb.%I', partition.relname);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- As before; but a run whose chat was deleted meanwhile goes, too, when it has ended.
create or replace function lamb.end_run(
  organization uuid, run uuid, held_epoch integer, outcome text, chat uuid, answer jsonb
) returns text
language plpgsql set search_path = pg_catalog as $$
declare
  place uuid;
begin
  perform set_config('app.org_id', organization::text, true);
  delete from ops.run_leases where run_id = run and epoch = held_epoch;
  if not found then
    return case when exists (select from ops.run_leases where run_id = run) then 'lost' else 'over' end;
  end if;
  update lamb.runs set status = outcome, finished_at = now() where id = run returning chat_id into place;
  if place is null then return 'ended'; end if;
  -- Held, so that who deletes the chat at this moment sees that the run has ended.
  perform from lamb.chats where id = place for key share;
  if not found then
    delete from lamb.run_traces where run_id = run;
    delete from lamb.runs where id = run;
  elsif answer is not null then
    insert into lamb.chat_messages (chat_id, run_id, message) values (place, run, answer) on conflict do nothing;
    update lamb.chats set updated_at = now() where id = place;
  end if;
  return 'ended';
end $$;
