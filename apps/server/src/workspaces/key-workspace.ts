import type { Principal } from '@lamb/contract';
import type { WorkspaceKey } from '@lamb/store';

/** Whose workspace it is: the person's who is in front of the screen, also where a gateway's key speaks for many. */
export function keyWorkspace(principal: Principal, assistantId: number): WorkspaceKey {
  return { assistantId, userId: principal.userId, endUser: principal.endUser.id };
}
