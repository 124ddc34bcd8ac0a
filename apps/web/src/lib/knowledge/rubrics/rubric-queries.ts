import type { RubricResource } from '@lamb/contract';
import { queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import { atCursor, paged } from '#lib/api/paged.ts';

export const scopes = ['visible', 'mine', 'public', 'showcase'] as const;
export type Scope = (typeof scopes)[number];
/** A rubric as a list shows it. */
export type RubricSummary = Omit<RubricResource, 'rubric'>;

interface Page {
  items: RubricSummary[];
  next_cursor: string | null;
}

/** Rubrics, page after page. */
export const rubricsQuery = ({ scope, search }: { scope: Scope; search: string }) => ({
  queryKey: ['rubrics', 'list', { scope, search }],
  ...paged,
  queryFn: ({ pageParam: cursor, signal }: { pageParam: string | undefined; signal: AbortSignal }): Promise<Page> =>
    unwrap(
      api.GET('/lamb/v1/rubrics', {
        params: {
          query: {
            scope,
            limit: 50,
            ...(search === '' ? {} : { search }),
            ...atCursor(cursor),
          },
        },
        signal,
      }),
    ),
});

/** One rubric. It is asked for anew at every opening: a form begins with it. */
export const rubricQuery = (id: string) =>
  queryOptions({
    queryKey: ['rubrics', 'form', id],
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: ({ signal }): Promise<RubricResource> =>
      unwrap(api.GET('/lamb/v1/rubrics/{id}', { params: { path: { id } }, signal })) as Promise<RubricResource>,
  });
