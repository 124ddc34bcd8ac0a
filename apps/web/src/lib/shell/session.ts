import { queryOptions } from '@tanstack/svelte-query';
import { createContext } from 'svelte';
import { api, unwrap } from '#lib/api/client.ts';
import type { components } from '#lib/api/schema.d.ts';

type Me = components['schemas']['Me'];
type Organization = components['schemas']['OrganizationResource'];

/** Who is signed in, where they are, and what they may see. */
export interface Session {
  readonly me: Me;
  readonly organizations: readonly Organization[];
  readonly organization: Organization | undefined;
  /** Builds assistants: everybody but students. */
  readonly isCreator: boolean;
  /** Administers the organisation. */
  readonly isAdmin: boolean;
}

/** The session; every page below `(app)` gets it with `getSession()()`. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal }): Promise<Session> => {
    const [me, { items }] = await Promise.all([
      unwrap(api.GET('/lamb/v1/me', { signal })),
      unwrap(api.GET('/lamb/v1/organizations', { signal })),
    ]);
    return {
      me,
      organizations: items,
      organization: items.find(({ current }) => current),
      isCreator: me.role !== 'end_user',
      isAdmin: me.role === 'owner' || me.role === 'admin',
    };
  },
});

/** The session of the pages below `(app)`, as a function, so that what reads it follows its changes. */
export const [getSession, setSession] = createContext<() => Session>();
