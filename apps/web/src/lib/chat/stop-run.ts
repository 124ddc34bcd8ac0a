import { api, unwrap } from '#lib/api/client.ts';
import { m } from '#lib/paraglide/messages.js';
import { tellError } from '#lib/ui/tell.ts';

/** Stops an answer; what has arrived is kept. */
export async function stopRun(id: string): Promise<void> {
  try {
    await unwrap(api.POST('/lamb/v1/runs/{id}/cancel', { params: { path: { id } } }));
  } catch (error) {
    tellError(error, m.chat_stop_failed());
  }
}
