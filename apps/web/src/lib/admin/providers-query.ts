import { queryOptions } from '@tanstack/svelte-query';
import { api, unwrap } from '#lib/api/client.ts';
import type { components } from '#lib/api/schema.d.ts';

export type Provider = components['schemas']['ProviderList']['items'][number];

/** The providers there are, and how far they are set up. */
export const providersQuery = queryOptions({
  queryKey: ['organization', 'providers'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/lamb/v1/organizations/current/providers', { signal }))).items,
});
