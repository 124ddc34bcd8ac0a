import { QueryClient } from '@tanstack/svelte-query';
import { ApiError } from './api-error.ts';

/** What was fetched is fresh for half a minute; only what a second try can mend is tried again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // Otherwise a change of what was not read yet, as behind an `||`, is never seen.
        notifyOnChangeProps: 'all',
        retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status >= 502),
        retryDelay: (failures) => 400 * 2 ** failures,
      },
      mutations: { retry: false },
    },
  });
}
