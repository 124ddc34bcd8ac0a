-- What every run does once at its beginning and once at its end, in one round trip each instead of three or four. They
-- run with the caller's rights, bound to the organisation like any tenant transaction: for the one statement that they are.
create function lamb.begin_run(
  organization uuid, run uuid, assistant bigint, person uuid, chat uuid, said jsonb, given jsonb, day date
) returns void
language plpgsql set search_path = pg_catalog as $$
begin
  perform set_config('app.org_id', organization::text, true);
  insert into lamb.runs (id, assistant_id, user_id, chat_id, input, started_on)
    values (run, assistant, person, chat, given, day);
  insert into ops.run_leases (run_id, organization_id) values (run, organization);
  if said is not null then
    insert into lamb.chat_messages (chat_id, run_id, message) values (chat, run, said);
    update lamb.chats set updated_at = now() where id = chat;
  end if;
end $$;

create function lamb.end_run(
  organization uuid, run uuid, held_epoch integer, outcome text, chat uuid, answer jsonb
) returns text
language plpgsql set search_path = pg_catalog as $$
begin
  perform set_config('app.org_id', organization::text, true);
  delete from ops.run_leases where run_id = run and epoch = held_epoch;
  if not found then
    return case when exists (select from ops.run_leases where run_id = run) then 'lost' else 'over' end;
  end if;
  update lamb.runs set status = outcome, finished_at = now() where id = run;
  -- The chat may have been deleted meanwhile.
  if answer is not null and exists (select from lamb.chats where id = chat) then
    insert into lamb.chat_messages (chat_id, run_id, message) values (chat, run, answer) on conflict do nothing;
    update lamb.chats set updated_at = now() where id = chat;
  end if;
  return 'ended';
end $$;
revoke all on function lamb.begin_run(uuid, uuid, bigint, uuid, uuid, jsonb, jsonb, date),
  lamb.end_run(uuid, uuid, integer, text, uuid, jsonb) from public;
grant execute on function lamb.begin_run(uuid, uuid, bigint, uuid, uuid, jsonb, jsonb, date),
  lamb.end_run(uuid, uuid, integer, text, uuid, jsonb) to lamb_app;
