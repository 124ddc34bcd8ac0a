import {
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type QueryKey,
} from '@tanstack/svelte-query';
import { ApiError } from './api-error.ts';

/** What was fetched is fresh for half a minute; only what a second try can mend is tried again. */
export function createQueryClient(): QueryClient {
  return new TabsQueryClient({
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

/** What is out of date in one tab is out of date in all: a rubric made in a new tab can be chosen in the first at once. */
class TabsQueryClient extends QueryClient {
  readonly #tabs = new BroadcastChannel('lamb-out-of-date');

  override mount(): void {
    super.mount();
    this.#tabs.onmessage = ({ data }: MessageEvent<QueryKey | undefined>) => {
      if (data !== undefined) void super.invalidateQueries({ queryKey: data });
    };
  }

  override unmount(): void {
    super.unmount();
    this.#tabs.onmessage = null;
  }

  override invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    this.#tabs.postMessage(filters?.queryKey);
    return super.invalidateQueries(filters, options);
  }
}
