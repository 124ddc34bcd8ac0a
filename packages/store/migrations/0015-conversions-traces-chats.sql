-- What an assistant was before it was converted to multi-tool, so that the conversion can be undone exactly.
create table lamb.assistant_conversions (
  assistant_id bigint primary key,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  -- The version that the conversion made: when the assistant has another by now, it was changed since.
  version integer not null,
  converted_by uuid,
  api_callback text not null,
  system_prompt text not null,
  prompt_template text not null,
  rag_top_k integer,
  rag_collections text not null,
  created_at timestamptz(3) not null default now(),
  foreign key (organization_id, assistant_id) references lamb.assistants (organization_id, id) on delete cascade
);

alter table lamb.assistant_conversions enable row level security;
alter table lamb.assistant_conversions force row level security;
create policy tenant on lamb.assistant_conversions
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.assistant_conversions to lamb_app;

-- A trace is recorded step by step, by whichever process takes the step.
alter table lamb.run_traces add column step text not null default 'context';
alter table lamb.run_traces drop constraint run_traces_pkey;
alter table lamb.run_traces add primary key (run_id, step);

-- A chat that is shared is read by whoever has its token.
alter table lamb.chats add column share_token text;
alter table lamb.chats add column shared_at timestamptz(3);
alter table lamb.chats add check ((share_token is null) = (shared_at is null));
create unique index chats_share_token_key on lamb.chats (share_token) where share_token is not null;

-- What was said again differently, or answered anew, stays; the run that took its place is noted.
alter table lamb.chat_messages add column superseded_by uuid;
grant update (superseded_by) on lamb.chat_messages to lamb_app;

-- Begins a run that takes the place of a chat's messages from one on. Nothing happens, and false is returned, while an
-- answer is under way there: it would be added after what takes its place.
create function lamb.begin_run(
  organization uuid, run uuid, assistant bigint, person uuid, chat uuid, said jsonb, given jsonb, day date, replaced_from bigint
) returns boolean
language plpgsql set search_path = pg_catalog as $$
begin
  perform set_config('app.org_id', organization::text, true);
  perform from lamb.chats where id = chat for update;
  if exists (
    select from lamb.runs r join ops.run_leases l on l.run_id = r.id
    where r.organization_id = organization and r.chat_id = chat
  ) then
    return false;
  end if;
  update lamb.chat_messages set superseded_by = run
    where organization_id = organization and chat_id = chat and id >= replaced_from and superseded_by is null;
  perform lamb.begin_run(organization, run, assistant, person, chat, said, given, day);
  return true;
end $$;
revoke all on function lamb.begin_run(uuid, uuid, bigint, uuid, uuid, jsonb, jsonb, date, bigint) from public;
grant execute on function lamb.begin_run(uuid, uuid, bigint, uuid, uuid, jsonb, jsonb, date, bigint) to lamb_app;
