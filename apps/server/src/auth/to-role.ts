import type { Role } from '@lamb/contract';
import type { Membership } from '@lamb/store';

/** What somebody is in an organisation. A membership may hold several roles, separated by commas; the strongest counts. */
export function toRole({ user, role }: { user: Pick<Membership['user'], 'kind'>; role: string }): Role {
  if (user.kind === 'end_user') return 'end_user';
  const held = new Set(role.split(','));
  return (['owner', 'admin', 'member'] as const).find((candidate) => held.has(candidate)) ?? 'end_user';
}
