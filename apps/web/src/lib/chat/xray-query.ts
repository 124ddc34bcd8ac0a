import { queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';

/** How an answer came about; it does not change any more. */
export const xrayQuery = (runId: string) =>
  queryOptions({
    queryKey: ['xray', runId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => unwrap(api.GET('/lamb/v1/runs/{id}/trace', { params: { path: { id: runId } }, signal })),
  });
