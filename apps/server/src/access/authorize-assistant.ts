import type { Principal } from '@lamb/contract';
import type { AssistantAccess } from '@lamb/store';
import { authorize } from './authorize.ts';
import type { Action } from './decide.ts';

export type AssistantAction = Extract<
  Action,
  | 'assistant.use'
  | 'assistant.read'
  | 'assistant.edit'
  | 'assistant.share'
  | 'assistant.publish'
  | 'trace.read'
  | 'workspace.use'
>;

/** Refuses what the policy does not allow with this assistant. */
export function authorizeAssistant(
  principal: Principal,
  action: AssistantAction,
  access: AssistantAccess | undefined,
): asserts access is AssistantAccess {
  authorize(principal, action, access && { id: access.assistant.id, ...access });
}
