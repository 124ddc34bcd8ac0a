import { AppError, type EndUser, type Principal } from '@lamb/contract';
import type { FoundApiKey, Membership } from '@lamb/store';
import { toRole } from './to-role.ts';

type Credential = Pick<Principal, 'via' | 'assistants'> & { keyId?: string };

/** What somebody may come in as; an error where they, or their organisation, may not come in. */
export function toPrincipal(membership: Membership, credential: Credential): Principal {
  const { user, organization } = membership;
  if (!user.enabled || user.banned || !membership.enabled) throw new AppError('account_disabled');
  if (organization.status === 'suspended') throw new AppError('organization_suspended');
  const endUser: EndUser = {
    id: user.id,
    email: user.email,
    emailConfirmed: membership.emailConfirmed,
    name: user.name,
    ...(user.lmsUserId === null ? {} : { lmsUserId: user.lmsUserId }),
  };
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    organizationId: organization.id,
    role: toRole(membership),
    systemAdmin: user.systemAdmin,
    endUser,
    ...credential,
  };
}

/** Refuses a key that opens nothing. */
export function requireValidKey(found: FoundApiKey | undefined): asserts found is FoundApiKey {
  if (found?.key.enabled && !(found.key.expiresAt && found.key.expiresAt <= new Date())) return;
  throw new AppError('unauthenticated', { message: 'This API key is not known, or no longer valid.' });
}

/** The holder of a key, with what the key opens. */
export function toKeyHolder({ key, membership }: FoundApiKey): Principal {
  return toPrincipal(membership, { via: 'api_key', keyId: key.id, assistants: key.assistants });
}
