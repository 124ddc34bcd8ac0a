import type { Role } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';

/** What somebody can be in an organisation, the most powerful last. */
export const roles: readonly Role[] = ['end_user', 'member', 'admin', 'owner'];

/** What a role is called. */
export function nameRole(role: Role): string {
  return {
    owner: m.shell_role_owner(),
    admin: m.shell_role_admin(),
    member: m.shell_role_member(),
    end_user: m.shell_role_end_user(),
  }[role];
}

/** What a role may do. */
export function explainRole(role: Role): string {
  return {
    owner: m.admin_role_owner_hint(),
    admin: m.admin_role_admin_hint(),
    member: m.admin_role_member_hint(),
    end_user: m.admin_role_end_user_hint(),
  }[role];
}
