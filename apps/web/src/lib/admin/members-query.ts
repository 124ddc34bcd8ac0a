import { infiniteQueryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import { atCursor, paged } from '#lib/api/paged.ts';
import type { components } from '#lib/api/schema.d.ts';

export type Member = components['schemas']['MemberResource'];

/** The members whose name or address has a text in it, page by page. */
export function membersQuery(search: string) {
  return infiniteQueryOptions({
    queryKey: ['organization', 'members', { search }],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/lamb/v1/organizations/current/members', {
          params: {
            query: {
              limit: 50,
              ...(search === '' ? {} : { search }),
              ...atCursor(pageParam),
            },
          },
          signal,
        }),
      ),
    ...paged,
  });
}
