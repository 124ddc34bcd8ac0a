import { readMetadata, type AssistantMetadata } from '@lamb/contract';
import type { Catalogue } from '@lamb/engine';
import { getAssistantAccess, type Assistant, type TenantTx } from '@lamb/store';

/** The assistant that wants to ask another one. What it may ask is decided by who owns it, not by who talks to it. */
export interface CallingAssistant {
  /** Undefined while it is not stored yet. */
  readonly id: number | undefined;
  readonly ownerId: string;
}

/** Whether an assistant may be asked by another. `reason` is for the audit log; the message does not tell a foreign assistant from none. */
export type CalleeVerdict =
  | { readonly allowed: true; readonly target: Assistant }
  | {
      readonly allowed: false;
      readonly reason: 'self' | 'not_found' | 'not_allowed' | 'tool_using';
      readonly message: string;
    };

/**
 * Decides, from what is in the database now, whether an assistant may ask another: its owner owns the target, has it
 * shared with them, or it is published in their organisation; and the target asks and calls nothing itself. Nothing is
 * public across organisations: the transaction sees one organisation, so a target in another is not found.
 */
export async function judgeCallee(
  tx: TenantTx,
  caller: CallingAssistant,
  targetId: number,
  catalogue: Catalogue,
): Promise<CalleeVerdict> {
  if (caller.id === targetId) return refuse('self', 'An assistant cannot ask itself. Choose another one.');
  const access = await getAssistantAccess(tx, targetId, caller.ownerId);
  const notThere = `There is no assistant ${String(targetId)} that this assistant’s owner may use.`;
  if (!access) return refuse('not_found', notThere);
  const { assistant: target, isOwner, isShared, isPublished } = access;
  if (!isOwner && !isShared && !isPublished) return refuse('not_allowed', notThere);
  const { metadata } = readMetadata(target.metadata, target);
  if (usesTools(metadata, catalogue)) {
    return refuse(
      'tool_using',
      `Assistant ${String(targetId)} uses functions or other assistants itself, so it cannot be asked by another.`,
    );
  }
  return { allowed: true, target };
}

function refuse(reason: 'self' | 'not_found' | 'not_allowed' | 'tool_using', message: string): CalleeVerdict {
  return { allowed: false, reason, message };
}

/** Whether an assistant cannot be asked by others. One that asks another to gather context is refused like one that calls functions: the depth is one. */
export function usesTools({ tools }: AssistantMetadata, catalogue: Catalogue): boolean {
  return tools.some(
    ({ enabled, mode, type }) =>
      enabled && (mode === 'function' || catalogue.findTool(type)?.targetAssistant !== undefined),
  );
}
