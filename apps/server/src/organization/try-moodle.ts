import { z } from 'zod';
import type { MoodleSite } from '../host/call-moodle.ts';
import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { askService } from './ask-service.ts';
import { ConnectionProblem } from './connection-problem.ts';

/** What the tool `moodle` calls, each with parameters that find nobody. */
const needed = {
  core_user_get_users_by_field: { field: 'email', 'values[0]': 'nobody@invalid.invalid' },
  core_enrol_get_users_courses: { userid: '0' },
} as const;

const Refusal = z.object({ errorcode: z.string() });

/** Calls each function that we need. Gives those that the token may not call; throws a `ConnectionProblem`. */
export async function tryMoodle(
  { url, token }: MoodleSite,
  fetch: OutboundFetch,
  signal: AbortSignal,
): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, parameters] of Object.entries(needed)) {
    const answer = await askService(
      `${url.replace(/\/+$/, '')}/webservice/rest/server.php`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          wstoken: token,
          wsfunction: name,
          moodlewsrestformat: 'json',
          ...parameters,
        }).toString(),
      },
      fetch,
      signal,
    );
    if (Array.isArray(answer)) continue;
    const refusal = Refusal.safeParse(answer);
    if (!refusal.success) throw new ConnectionProblem('unexpected_answer');
    if (refusal.data.errorcode === 'invalidtoken') throw new ConnectionProblem('credentials_rejected');
    if (refusal.data.errorcode === 'accessexception') missing.push(name);
    // Anything else was said by the function itself, so it was called.
  }
  return missing;
}
