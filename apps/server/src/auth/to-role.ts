import type { Role } from '@lamb/contract';

/** What somebody is in an organisation. A membership may hold several roles, separated by commas; the strongest counts. */
export function toRole({ role }: { role: string }): Role {
  const held = new Set(role.split(','));
  return (['owner', 'admin', 'member'] as const).find((candidate) => held.has(candidate)) ?? 'end_user';
}
