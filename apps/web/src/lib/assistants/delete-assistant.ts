import type { QueryClient } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import { m } from '#lib/paraglide/messages.js';
import { tellDone, tellError } from '#lib/ui/tell.ts';
import { dropFromLists, refreshLists } from './change-lists.ts';

/** Deletes an assistant at once and offers to bring it back. Whether it was deleted. */
export async function deleteAssistant(
  queryClient: QueryClient,
  { id, name }: { id: number; name: string },
): Promise<boolean> {
  dropFromLists(queryClient, id);
  try {
    await unwrap(api.DELETE('/lamb/v1/assistants/{id}', { params: { path: { id: String(id) } } }));
  } catch (error) {
    tellError(error, m.assistants_delete_failed({ name }));
    await refreshLists(queryClient);
    return false;
  }
  tellDone(m.assistants_deleted({ name }), { undo: () => restoreAssistant(queryClient, { id, name }) });
  return true;
}

async function restoreAssistant(queryClient: QueryClient, { id, name }: { id: number; name: string }): Promise<void> {
  try {
    await unwrap(api.POST('/lamb/v1/assistants/{id}/restore', { params: { path: { id: String(id) } } }));
    tellDone(m.assistants_restored({ name }));
  } catch (error) {
    tellError(error, m.assistants_restore_failed({ name }));
  }
  await refreshLists(queryClient);
}
