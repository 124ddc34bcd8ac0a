import type { ChunkResource, CollectionResource, DocumentResource, EmbeddingOffers } from '@lamb/contract';
import { queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import { atCursor, paged } from '#lib/api/paged.ts';

export const scopes = ['visible', 'mine', 'shared'] as const;
export type Scope = (typeof scopes)[number];

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}
type DocumentPage = Page<DocumentResource>;

interface PageRequest {
  pageParam: string | undefined;
  signal: AbortSignal;
}

/** The collections that somebody can search, page after page. */
export const collectionsQuery = ({ scope, search }: { scope: Scope; search: string }) => ({
  ...paged,
  queryKey: ['collections', 'list', { scope, search }],
  queryFn: ({ pageParam, signal }: PageRequest): Promise<Page<CollectionResource>> =>
    unwrap(
      api.GET('/lamb/v1/collections', {
        params: { query: { scope, limit: 50, ...(search === '' ? {} : { search }), ...atCursor(pageParam) } },
        signal,
      }),
    ),
});

/** One collection; while it is read anew, how far that is. */
export const collectionQuery = (id: number) =>
  queryOptions({
    queryKey: ['collections', 'one', String(id)],
    refetchInterval: ({ state }: { state: { data: CollectionResource | undefined } }) =>
      state.data?.reindexing ? 1000 : false,
    queryFn: ({ signal }): Promise<CollectionResource> =>
      unwrap(api.GET('/lamb/v1/collections/{id}', { params: { path: { id: String(id) } }, signal })),
  });

export const documentsKey = (id: number) => ['collections', 'documents', id];

/** The documents of a collection, the newest first. */
export const documentsQuery = (id: number) => ({
  ...paged,
  queryKey: documentsKey(id),
  queryFn: ({ pageParam, signal }: PageRequest): Promise<DocumentPage> =>
    unwrap(
      api.GET('/lamb/v1/collections/{id}/documents', {
        params: { path: { id: String(id) }, query: { limit: 50, ...atCursor(pageParam) } },
        signal,
      }),
    ),
});

/** One document of a collection. */
export const documentQuery = (id: number, documentId: string) =>
  queryOptions({
    queryKey: ['collections', 'document', id, documentId],
    queryFn: ({ signal }): Promise<DocumentResource> =>
      unwrap(
        api.GET('/lamb/v1/collections/{id}/documents/{document_id}', {
          params: { path: { id: String(id), document_id: documentId } },
          signal,
        }),
      ),
  });

/** The passages of a document, in its order. */
export const chunksQuery = (id: number, documentId: string) => ({
  ...paged,
  queryKey: ['collections', 'chunks', id, documentId],
  queryFn: ({ pageParam, signal }: PageRequest): Promise<Page<ChunkResource>> =>
    unwrap(
      api.GET('/lamb/v1/collections/{id}/documents/{document_id}/chunks', {
        params: { path: { id: String(id), document_id: documentId }, query: { limit: 30, ...atCursor(pageParam) } },
        signal,
      }),
    ),
});

/** What makes vectors for a collection. */
export const embeddingOffersQuery = queryOptions({
  queryKey: ['collections', 'embeddings'],
  staleTime: 60_000,
  queryFn: ({ signal }): Promise<EmbeddingOffers> => unwrap(api.GET('/lamb/v1/collections/embeddings', { signal })),
});
