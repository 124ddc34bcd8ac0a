import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import { atCursor, paged } from '#lib/api/paged.ts';

/** A chat with what was said in it. */
export const chatQuery = (id: string) =>
  queryOptions({
    queryKey: ['chat', id],
    // What is said meanwhile is told by the runs, and by the other tabs.
    queryFn: ({ signal }) => unwrap(api.GET('/lamb/v1/chats/{id}', { params: { path: { id } }, signal })),
  });

/** One's chats, newest first, or those in which something was said. */
export const chatsQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['chats', { search }],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/lamb/v1/chats', {
          params: {
            query: {
              limit: 40,
              ...atCursor(pageParam),
              ...(search === '' ? {} : { search }),
            },
          },
          signal,
        }),
      ),
    ...paged,
  });

/** What an assistant is, for those who may use it. */
export const cardQuery = (id: number) =>
  queryOptions({
    queryKey: ['assistant-card', id],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      unwrap(api.GET('/lamb/v1/assistants/{id}/card', { params: { path: { id: String(id) } }, signal })),
  });
