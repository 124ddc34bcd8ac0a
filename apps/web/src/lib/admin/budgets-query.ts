import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import { atCursor, paged } from '#lib/api/paged.ts';
import type { components } from '#lib/api/schema.d.ts';

export type Budgets = components['schemas']['BudgetsResource'];
export type UserBudget = components['schemas']['UserBudgetPage']['items'][number];
export type Prices = components['schemas']['PricesResource'];
export type Price = Prices['prices'][number];

/** The caps, and what this month used of them. */
export const budgetsQuery = queryOptions({
  queryKey: ['organization', 'budgets'],
  queryFn: ({ signal }) => unwrap(api.GET('/lamb/v1/organizations/current/budgets', { signal })),
});

/** Each member's caps and use, page by page. */
export function userBudgetsQuery(search: string) {
  return infiniteQueryOptions({
    queryKey: ['organization', 'budgets', 'users', { search }],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/lamb/v1/organizations/current/budgets/users', {
          params: {
            query: {
              limit: 25,
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

/** The price table, and what was used without a price. */
export const pricesQuery = queryOptions({
  queryKey: ['organization', 'prices'],
  queryFn: ({ signal }) => unwrap(api.GET('/lamb/v1/organizations/current/prices', { signal })),
});
