import createClient from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import { readProblem } from './read-problem.ts';
import type { paths } from './schema.d.ts';

/** The server's interface, typed from its own description. Use it with `unwrap`. */
export const api = createClient<paths>({ baseUrl: globalThis.location.origin, credentials: 'same-origin' });

let onSignedOut: () => void = () => undefined;

/** Says what happens when the session has ended: the shell leads to sign-in and back. */
export function whenSignedOut(lead: () => void): void {
  onSignedOut = lead;
}

api.use({
  async onResponse({ response }) {
    if (response.ok) return;
    const error = await readProblem(response);
    if (error.status === 401) onSignedOut();
    throw error;
  },
});

/** Waits for an answer and takes its data out; what is not a success is thrown as an `ApiError`. */
export async function unwrap<Data>(answer: Promise<{ data?: Data; response: Response }>): Promise<Data> {
  const { data, response } = await answer;
  if (!response.ok) throw new ApiError({ status: response.status, code: 'unknown', title: '' });
  // 204: there is no data, and the type says so.
  return data as Data;
}

/** A request that the typed client does not cover: uploads, downloads, sign-in. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { credentials: 'same-origin', ...init });
  if (response.ok) return response;
  const error = await readProblem(response);
  if (error.status === 401 && !path.startsWith('/api/auth/')) onSignedOut();
  throw error;
}
