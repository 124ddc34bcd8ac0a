import { queryOptions } from '@tanstack/svelte-query';
import { send } from '#lib/api/client.ts';

/** How one can come in here. */
export interface SignInOptions {
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** Some organisation lets people in with its key. */
  readonly signUp: boolean;
}

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  staleTime: Infinity,
  queryFn: (): Promise<SignInOptions> => Promise.resolve({ providers: [], signUp: true }),
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

/** Makes an account with an organisation's key, and signs in. */
export async function signUp(account: { name: string; email: string; password: string; key: string }): Promise<void> {
  await postJson('/lamb/v1/sign-up', account);
  await signIn(account.email, account.password);
}
