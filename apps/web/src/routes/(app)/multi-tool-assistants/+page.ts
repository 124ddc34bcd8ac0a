import { redirect } from '@sveltejs/kit';

/** There is one list; this address shows its multi-tool assistants. */
export function load(): never {
  redirect(307, '/assistants?filter=multi_tool');
}
