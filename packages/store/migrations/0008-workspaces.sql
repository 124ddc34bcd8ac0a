-- A workspace is what one person edits with one assistant: text files, and what they were before each change. Without a
-- chat it is the person's own with that assistant; with one, the chat's.

create table lamb.workspaces (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  assistant_id bigint not null,
  user_id uuid not null references auth."user" (id) on delete cascade,
  -- The person in front of the screen, who is not the user where a gateway's key speaks for many.
  end_user text collate "C" not null,
  chat_id uuid,
  quota_bytes bigint not null check (quota_bytes >= 0),
  -- Counts the writes. A file's version is taken from here: it never comes twice, not even for a file that was deleted
  -- and made anew, and taking it locks the workspace until the end of the transaction.
  revision integer not null default 0,
  created_at timestamptz(3) not null default now(),
  unique (organization_id, id),
  constraint workspaces_key unique nulls not distinct (organization_id, assistant_id, user_id, end_user, chat_id),
  foreign key (organization_id, assistant_id) references lamb.assistants (organization_id, id) on delete cascade
);

create index workspaces_user_idx on lamb.workspaces (user_id);
create index workspaces_chat_idx on lamb.workspaces (organization_id, chat_id) where chat_id is not null;

alter table lamb.workspaces enable row level security;
alter table lamb.workspaces force row level security;
create policy tenant on lamb.workspaces
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.workspaces to lamb_app;

create table lamb.workspace_files (
  workspace_id uuid not null,
  path text collate "C" not null,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  content text not null,
  size integer not null generated always as (octet_length(content)) stored
    constraint workspace_files_size check (size <= 2000000),
  version integer not null,
  written_by uuid not null,
  -- The function call that wrote it; null when a person did.
  call text,
  written_at timestamptz(3) not null default now(),
  primary key (organization_id, workspace_id, path),
  foreign key (organization_id, workspace_id) references lamb.workspaces (organization_id, id) on delete cascade
);

alter table lamb.workspace_files enable row level security;
alter table lamb.workspace_files force row level security;
create policy tenant on lamb.workspace_files
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, update, delete on lamb.workspace_files to lamb_app;

-- Versions of files that were replaced, as they were. A table of its own, so that no path of a file leads to one.
create table lamb.workspace_backups (
  workspace_id uuid not null,
  path text collate "C" not null,
  version integer not null,
  organization_id uuid not null default nullif(current_setting('app.org_id', true), '')::uuid
    references auth.organization (id),
  content text not null,
  size integer not null generated always as (octet_length(content)) stored,
  written_by uuid not null,
  call text,
  written_at timestamptz(3) not null,
  primary key (organization_id, workspace_id, path, version),
  -- With the file go its backups.
  foreign key (organization_id, workspace_id, path)
    references lamb.workspace_files (organization_id, workspace_id, path) on delete cascade
);

alter table lamb.workspace_backups enable row level security;
alter table lamb.workspace_backups force row level security;
create policy tenant on lamb.workspace_backups
  using (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.org_id', true), '')::uuid));
grant select, insert, delete on lamb.workspace_backups to lamb_app;
