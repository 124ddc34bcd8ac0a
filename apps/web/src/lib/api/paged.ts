/** How a list of the server goes on: a part of the options of every query that is read page after page. */
export const paged = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor: next }: { readonly next_cursor: string | null }) => next ?? undefined,
};

/** Where a page begins, as a part of a request's query. */
export function atCursor(cursor: string | undefined): { cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}
