import type { DocumentResource } from '@lamb/contract';
import type { QueryClient } from '@tanstack/svelte-query';
import { m } from '#lib/paraglide/messages.js';
import { tellDone } from '#lib/ui/tell.ts';
import { documentsKey } from './collection-queries.ts';
import { putDocument, type DocumentPages } from './document-pages.ts';

/** Shows a document that was added to a collection, and says so when it was there already. */
export function takeDocument(
  queryClient: QueryClient,
  collection: number,
  { document, duplicate }: { document: DocumentResource; duplicate: boolean },
  name: string,
): void {
  queryClient.setQueryData<DocumentPages>(documentsKey(collection), (data) => data && putDocument(data, document));
  if (duplicate)
    tellDone(m.knowledge_duplicate({ name }), {
      description: m.knowledge_duplicate_hint({ name: document.filename }),
    });
}
