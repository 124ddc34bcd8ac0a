import { queryOptions, useQueryClient } from '@tanstack/svelte-query';
import { ApiError } from '#lib/api/api-error.ts';
import { api, unwrap } from '#lib/api/client.ts';
import type { components } from '#lib/api/schema.d.ts';

/** An organisation's configuration, with its version and the names of its secrets. */
export type ConfigResource = components['schemas']['OrganizationConfigResource'];

const path = '/lamb/v1/organizations/current/config';

/** The configuration of the current organisation. */
export const configQuery = queryOptions({
  queryKey: ['organization', 'config'],
  queryFn: ({ signal }) => unwrap(api.GET(path, { signal })),
});

/** The setup that turns work with. */
export function readSetup({ config, default_setup: key }: ConfigResource) {
  return config.setups[key];
}

/** Makes the function that saves parts of the configuration (a JSON merge patch); call it while a component begins. */
export function createConfigSaver() {
  const queryClient = useQueryClient();
  return async ({ version }: ConfigResource, patch: Record<string, unknown>): Promise<ConfigResource> => {
    try {
      const saved = await unwrap(
        api.PATCH(path, { params: { header: { 'if-match': `"${String(version)}"` } }, body: patch }),
      );
      queryClient.setQueryData(configQuery.queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ['organization', 'providers'] });
      return saved;
    } catch (error) {
      // With the newer version at hand, saving once more is a decision and no accident.
      if (error instanceof ApiError && error.code === 'stale_update') {
        await queryClient.invalidateQueries({ queryKey: configQuery.queryKey });
      }
      throw error;
    }
  };
}
