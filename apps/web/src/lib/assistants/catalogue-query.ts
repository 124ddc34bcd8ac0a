import { queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';

/** Everything an assistant can be built from: connectors with their models, prompt processors, tools. */
export const catalogueQuery = queryOptions({
  queryKey: ['catalogue'],
  staleTime: 5 * 60_000,
  queryFn: ({ signal }) => unwrap(api.GET('/lamb/v1/completions/list', { signal })),
});
