import type { AssistantSummary } from '@lamb/contract';
import { assistantHref } from './assistant-href.ts';
import { chatHref } from './chat-href.ts';

/** Where an assistant's name leads: to the assistant for those who may see how it is made, to a chat for all others. */
export function openHref(assistant: AssistantSummary, { isAdmin }: { isAdmin: boolean }): string {
  const mayOpen = assistant.is_owner || assistant.shared_with_me || isAdmin;
  return mayOpen ? assistantHref(assistant) : chatHref(assistant.id);
}
