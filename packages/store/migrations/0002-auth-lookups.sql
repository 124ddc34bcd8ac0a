-- What LAMB needs on top of better-auth's tables. No row-level security here: these rows are read to find out
-- which organisation a credential belongs to.

alter table auth."user"
  alter column "enabled" set default true,
  alter column "kind" set default 'creator',
  alter column "emailVerified" set default false,
  add constraint user_kind_check check ("kind" in ('creator', 'end_user'));

alter table auth.organization
  alter column "status" set default 'active',
  alter column "createdAt" set default now(),
  add constraint organization_status_check check ("status" in ('active', 'suspended', 'trial'));

alter table auth.member
  alter column "createdAt" set default now();

-- The scope of a key is in columns of its own and not in better-auth's "metadata": where that is switched on, anyone who
-- is signed in can write it for their own keys, and nobody may make themselves a trusted gateway.
-- A key without an organisation opens nothing.
alter table auth.apikey
  alter column "configId" set default 'default',
  alter column "createdAt" set default now(),
  alter column "updatedAt" set default now(),
  add column "organizationId" uuid references auth.organization (id) on delete cascade,
  add column "assistantIds" bigint[],
  add column "trustedGateway" boolean not null default false;

comment on column auth.apikey."assistantIds" is 'The assistants this key may talk to; null: all that its holder may.';

create unique index user_email_lower_key on auth."user" (lower("email"));
create index user_lms_user_id_idx on auth."user" ("lmsUserId") where "lmsUserId" is not null;
create unique index account_provider_account_key on auth.account ("providerId", "accountId");
create unique index member_user_organization_key on auth.member ("userId", "organizationId");
create index member_organization_created_idx on auth.member ("organizationId", "createdAt", "id");
create unique index apikey_key_key on auth.apikey ("key");
create index apikey_organization_idx on auth.apikey ("organizationId") where "organizationId" is not null;

grant usage on schema auth to lamb_app;
grant select, insert, update, delete on all tables in schema auth to lamb_app;

grant usage on schema lamb to lamb_app;
grant select on lamb.migrations to lamb_app;
