import type { Principal } from '@lamb/contract';
import { findAssistantByName, getAssistantAccess, type AssistantAccess, type TenantTx } from '@lamb/store';

const byId = /^(?:lamb_assistant\.)?(\d{1,15})$/;

/** The name under which an assistant is a model. */
export function toModelName(assistantId: number): string {
  return `lamb_assistant.${String(assistantId)}`;
}

/** Finds the assistant that a client means by a model: `lamb_assistant.N`, `N`, `LAMB:name` or just its name. */
export function findModel(model: string, principal: Principal): (tx: TenantTx) => Promise<AssistantAccess | undefined> {
  const id = byId.exec(model)?.[1];
  if (id !== undefined) return (tx) => getAssistantAccess(tx, Number(id), principal.userId);
  const name = model.startsWith('LAMB:') ? model.slice('LAMB:'.length) : model;
  return (tx) => findAssistantByName(tx, name, principal.userId);
}
