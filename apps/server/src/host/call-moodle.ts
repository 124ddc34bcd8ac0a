import { ToolFailure } from '@lamb/plugin-kit';
import { z } from 'zod';
import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { OutboundLimitError } from '../outbound/outbound-limit-error.ts';
import { OutboundRefusedError } from '../outbound/outbound-refused-error.ts';

const TIMEOUT_MS = 8000;
const MAX_BYTES = 5 * 1024 * 1024;

/** An organisation's Moodle site. */
export interface MoodleSite {
  readonly url: string;
  readonly token: string;
}

const MoodleException = z.object({ exception: z.string(), errorcode: z.string() });

/** Calls one web-service function of a Moodle site. What goes wrong is said without naming the site. */
export async function callMoodle(
  { url, token }: MoodleSite,
  name: string,
  parameters: Readonly<Record<string, string>>,
  fetch: OutboundFetch,
  signal: AbortSignal,
): Promise<unknown> {
  let reply: Response;
  try {
    reply = await fetch(`${url.replace(/\/+$/, '')}/webservice/rest/server.php`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      // In the body, not in the address: addresses end up in logs.
      body: new URLSearchParams({
        wstoken: token,
        wsfunction: name,
        moodlewsrestformat: 'json',
        ...parameters,
      }).toString(),
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ToolFailure) throw new ToolFailure(`Moodle cannot be asked. ${cause.message}`, { cause });
    throw new ToolFailure(describeFailure(cause), { cause });
  }
  if (!reply.ok) throw new ToolFailure(`Moodle answered with status ${String(reply.status)}.`);
  const answer: unknown = await reply.json().catch((cause: unknown) => {
    throw new ToolFailure('Moodle gave an answer that cannot be read.', { cause });
  });
  const exception = MoodleException.safeParse(answer);
  if (exception.success) throw new ToolFailure(describeException(exception.data.errorcode, name));
  return answer;
}

function describeFailure(cause: unknown): string {
  if (cause instanceof OutboundRefusedError) {
    return "Moodle's address is not allowed; an administrator of the organisation or the operator can change that.";
  }
  if (cause instanceof OutboundLimitError) {
    return cause.limit === 'time' ? 'Moodle did not answer in time.' : 'The answer of Moodle is too large.';
  }
  return 'Moodle cannot be reached.';
}

/** Moodle's own messages may carry anything; its error codes are words. */
function describeException(code: string, name: string): string {
  switch (code) {
    case 'invalidtoken':
      return "Moodle did not accept the organisation's token; an administrator can set a new one.";
    case 'accessexception':
      return `Moodle does not let the organisation's token call ${name}; Moodle's administrator can allow it.`;
    default:
      return /^[\w/-]{1,60}$/.test(code) ? `Moodle refused with “${code}”.` : 'Moodle refused.';
  }
}
