import { fetch as undiciFetch, type Dispatcher } from 'undici';

/** A `fetch` that goes through this dispatcher and follows no redirect, which would take the key to another host. */
export function createFetch(dispatcher: Dispatcher): typeof globalThis.fetch {
  const through = (input: string, init?: object) => undiciFetch(input, { ...init, dispatcher, redirect: 'manual' });
  // The two are the same interface, declared by two versions of the same library.
  return through as unknown as typeof globalThis.fetch;
}
