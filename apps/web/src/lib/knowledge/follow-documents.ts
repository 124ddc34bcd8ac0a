import type { DocumentResource } from '@lamb/contract';
import type { QueryClient } from '@tanstack/svelte-query';
import { followEvents, type FollowedEvent } from '#lib/api/follow-events.ts';
import { documentsKey } from './collection-queries.ts';
import { dropDocument, putDocument, type DocumentPages } from './document-pages.ts';

/** Keeps the list of a collection's documents as the server tells it, until `signal` aborts. */
export async function followDocuments(queryClient: QueryClient, id: number, signal: AbortSignal): Promise<void> {
  const key = documentsKey(id);
  let wasLost = false;
  const events = followEvents<DocumentResource | { id: string }>(`/lamb/v1/collections/${String(id)}/events`, {
    signal,
    // It is followed for as long as the page is open.
    isLast: () => false,
    onconnection: (state) => {
      // What was done meanwhile is told to nobody.
      if (state === 'open' && wasLost) void queryClient.invalidateQueries({ queryKey: key });
      wasLost = state === 'lost';
    },
  });
  for await (const event of events) {
    const document = readDocument(event);
    queryClient.setQueryData<DocumentPages>(key, (pages) => {
      if (!pages) return pages;
      return document ? putDocument(pages, document) : dropDocument(pages, event.data.id);
    });
    if (document) queryClient.setQueryData(['collections', 'document', id, document.id], document);
    // Then its counts have changed.
    if (document === undefined || document.progress === null) {
      void queryClient.invalidateQueries({ queryKey: ['collections', 'one', String(id)] });
      void queryClient.invalidateQueries({ queryKey: ['collections', 'list'] });
    }
  }
}

function readDocument({ event, data }: FollowedEvent<DocumentResource | { id: string }>): DocumentResource | undefined {
  return event === 'document' && 'status' in data ? data : undefined;
}
