-- A lease lives as long as its run: who ends the run takes it away. So this table holds what is under way, and one can
-- ask it, for all organisations at once, whether something is under way that nobody executes.
alter table ops.run_leases
  add column organization_id uuid references auth.organization (id) on delete cascade,
  add column created_at timestamptz(3) not null default now();
delete from ops.run_leases l using lamb.runs r where r.id = l.run_id and r.status not in ('running', 'waiting');
create index run_leases_organization_idx on ops.run_leases (organization_id);
