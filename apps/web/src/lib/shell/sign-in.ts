import { queryOptions } from '@tanstack/svelte-query';
import { api, send, unwrap } from '#lib/api/client.ts';

/** The ways into this installation. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  staleTime: 5 * 60_000,
  queryFn: ({ signal }) => unwrap(api.GET('/lamb/v1/sign-in-options', { signal })),
});

const postJson = (path: string, body: unknown) =>
  send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

export async function signIn(email: string, password: string): Promise<void> {
  await postJson('/api/auth/sign-in/email', { email, password });
}

/** Leaves for an identity provider, which sends the person back to `returnTo`. */
export async function signInAt(provider: string, returnTo: string): Promise<void> {
  const callbackURL = new URL(returnTo, location.origin).href;
  const response = await postJson('/api/auth/sign-in/social', { provider, callbackURL });
  const { url } = (await response.json()) as { url: string };
  location.assign(url);
}
