import type { Assistant } from '@lamb/contract';
import { queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';

/** One assistant with everything its creator works on. It is asked for anew at every opening: a form begins with it. */
export const assistantQuery = (id: number) =>
  queryOptions({
    queryKey: ['assistants', 'one', id],
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: ({ signal }): Promise<Assistant> =>
      unwrap(api.GET('/lamb/v1/assistants/{id}', { params: { path: { id: String(id) } }, signal })),
  });
