import type { AssistantSummary } from '@lamb/contract';
import type { InfiniteData, QueryClient } from '@tanstack/svelte-query';

interface Page {
  items: AssistantSummary[];
  next_cursor: string | null;
}

const KEY = ['assistants', 'list'];
/** More pages than this are not asked for anew; the list begins again with the first. */
const KEPT_PAGES = 3;

/** Takes an assistant out of every list that is loaded, at once; the server is asked when the list is looked at next. */
export function dropFromLists(queryClient: QueryClient, id: number): void {
  queryClient.setQueriesData<InfiniteData<Page>>({ queryKey: KEY }, (data) =>
    data === undefined
      ? data
      : {
          ...data,
          pages: data.pages.map((page) =>
            page.items.some((item) => item.id === id)
              ? { ...page, items: page.items.filter((item) => item.id !== id) }
              : page,
          ),
        },
  );
}

/** Has the lists loaded again after something in them has changed. */
export async function refreshLists(queryClient: QueryClient): Promise<void> {
  queryClient.setQueriesData<InfiniteData<Page>>({ queryKey: KEY }, (data) =>
    data === undefined || data.pages.length <= KEPT_PAGES
      ? data
      : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  );
  await queryClient.invalidateQueries({ queryKey: KEY });
}
