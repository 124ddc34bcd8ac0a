import type { Assistant } from '@lamb/contract';
import type { QueryClient } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import { m } from '#lib/paraglide/messages.js';
import { tellDone, tellError } from '#lib/ui/tell.ts';
import { refreshLists } from './change-lists.ts';

/** Copies an assistant; the copy is one's own. */
export async function duplicateAssistant(
  queryClient: QueryClient,
  { id, name }: { id: number; name: string },
): Promise<Assistant | undefined> {
  try {
    const copy = await unwrap(api.POST('/lamb/v1/assistants/{id}/duplicate', { params: { path: { id: String(id) } } }));
    tellDone(m.assistants_duplicated({ name: copy.name }));
    await refreshLists(queryClient);
    return copy;
  } catch (error) {
    tellError(error, m.assistants_duplicate_failed({ name }));
    return undefined;
  }
}
