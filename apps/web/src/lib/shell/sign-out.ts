import { send } from '#lib/api/client.ts';
import { tellError } from '#lib/ui/tell.ts';
import { m } from '#lib/paraglide/messages.js';

/** Ends the session. The page is loaded anew, so that nothing of it stays in memory. */
export async function signOut(): Promise<void> {
  try {
    await send('/api/auth/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    location.assign('/sign-in');
  } catch (error) {
    tellError(error, m.shell_sign_out_failed());
  }
}
