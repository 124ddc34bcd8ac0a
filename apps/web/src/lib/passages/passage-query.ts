import type { Passage } from '@lamb/contract';
import { send } from '#lib/api/client.ts';

/** The passage at an address on this server. */
export const passageQuery = (path: string) => ({
  queryKey: ['passage', path],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Passage> =>
    (await (await send(path, { signal })).json()) as Passage,
});
