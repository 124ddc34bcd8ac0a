import type { LlmServer } from '@lamb/testing';

/** How many texts were sent to be embedded, also those that the provider refused or knew by their request's key. */
export function countSentTexts({ requests }: Pick<LlmServer, 'requests'>): number {
  return requests.reduce((sum, { body }) => sum + ((body as { input?: readonly unknown[] }).input ?? []).length, 0);
}
