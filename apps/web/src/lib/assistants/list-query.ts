import { api, unwrap } from '#lib/api/client.ts';
import { atCursor, paged } from '#lib/api/paged.ts';
import type { components } from '#lib/api/schema.d.ts';

type Page = components['schemas']['AssistantPage'];

export const filters = ['all', 'classic', 'multi_tool', 'shared', 'published', 'organization'] as const;
export type Filter = (typeof filters)[number];

export const sorts = ['updated', 'created', 'name'] as const;
export type Sort = (typeof sorts)[number];

const PAGE_SIZE = 100;

/** What each choice of the filter asks the server for. */
const wanted = {
  all: { scope: 'visible' },
  classic: { scope: 'visible', type: 'classic' },
  multi_tool: { scope: 'visible', type: 'multi_tool' },
  shared: { scope: 'shared' },
  published: { scope: 'published' },
  organization: { scope: 'organization' },
} as const satisfies Record<Filter, object>;

/** The list of assistants, page after page. */
export const listQuery = ({ filter, sort, search }: { filter: Filter; sort: Sort; search: string }) => ({
  queryKey: ['assistants', 'list', { filter, sort, search }],
  // All loaded pages are asked for anew, one after the other: not at every look at another window.
  refetchOnWindowFocus: false,
  ...paged,
  queryFn: ({ pageParam: cursor, signal }: { pageParam: string | undefined; signal: AbortSignal }): Promise<Page> =>
    unwrap(
      api.GET('/lamb/v1/assistants', {
        params: {
          query: {
            ...wanted[filter],
            sort,
            limit: PAGE_SIZE,
            ...(search === '' ? {} : { search }),
            ...atCursor(cursor),
          },
        },
        signal,
      }),
    ),
});
