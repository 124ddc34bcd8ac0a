import type { Assistant } from '@lamb/contract';
import type { QueryClient } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import { m } from '#lib/paraglide/messages.js';
import { tellDone, tellError } from '#lib/ui/tell.ts';
import { refreshLists } from './change-lists.ts';

/** Makes a converted assistant the classic one that it was. */
export async function undoConversion(
  queryClient: QueryClient,
  { id, name }: { id: number; name: string },
  { discardChanges }: { discardChanges: boolean },
): Promise<Assistant | undefined> {
  try {
    const restored = await unwrap(
      api.POST('/lamb/v1/assistants/{id}/convert/undo', {
        params: { path: { id: String(id) } },
        body: { discard_changes: discardChanges },
      }),
    );
    tellDone(m.assistants_conversion_undone({ name }));
    void refreshLists(queryClient);
    return restored;
  } catch (error) {
    tellError(error, m.assistants_conversion_undo_failed());
    return undefined;
  }
}
