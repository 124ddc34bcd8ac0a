import { queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import type { components } from '#lib/api/schema.d.ts';

export type UsageSeries = components['schemas']['UsageSeries'];
export const groupings = ['total', 'assistant', 'model', 'user'] as const;
export type Grouping = (typeof groupings)[number];

const DAY_MS = 86_400_000;
const toDay = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The last so many days of the calendar that usage is kept by, which is UTC's. */
export function lastDays(count: number, now = Date.now()): { from: string; to: string } {
  return { from: toDay(now - (count - 1) * DAY_MS), to: toDay(now) };
}

/** What was used on each day, in all or for each of those that used most. */
export function usageQuery(range: { from: string; to: string }, by: Grouping) {
  return queryOptions({
    queryKey: ['organization', 'usage', { ...range, by }],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/lamb/v1/organizations/current/usage/series', { params: { query: { ...range, by, top: 6 } }, signal }),
      ),
  });
}
