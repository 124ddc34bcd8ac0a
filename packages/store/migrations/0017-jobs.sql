-- Work in the background that is under way, of all organisations: whoever ends it takes its row away. As the leases of
-- runs, it belongs to the running of the whole; what a job works on is named by id and read as its organisation.
create table ops.jobs (
  id uuid primary key,
  organization_id uuid not null references auth.organization (id) on delete cascade,
  kind text not null,
  input jsonb not null,
  -- Which attempt may write; 0: none was begun.
  epoch integer not null default 0,
  -- When it is its turn: an organisation's jobs have one after the other, so that many of one do not stand before few of another.
  turn integer not null,
  created_at timestamptz(3) not null default now()
);
create index jobs_organization_idx on ops.jobs (organization_id, turn);
create index jobs_waiting_idx on ops.jobs (turn) where epoch = 0;
grant select, insert, update, delete on ops.jobs to lamb_app;

-- Why a collection could not be read anew; it is then searched as before.
alter table lamb.collections add column reindex_problem text;
