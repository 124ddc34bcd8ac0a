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
