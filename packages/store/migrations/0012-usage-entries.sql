-- An entry whose recording was not answered is recorded again: under the same id, it is still one.
alter table lamb.usage_ledger add column entry_id uuid not null default gen_random_uuid();
create unique index usage_ledger_entry_key on lamb.usage_ledger (entry_id);
