import { describeCode } from '#lib/api/describe-code.ts';
import { m } from '#lib/paraglide/messages.js';
import type { Answer } from './answer.ts';

/** What to try after an answer failed, by the code that it failed with. */
const next: Readonly<Record<string, () => string>> = {
  budget_exceeded: m.chat_error_budget_next,
  rate_limited: m.chat_error_wait_next,
  provider_rate_limited: m.chat_error_wait_next,
  provider_unavailable: m.chat_error_again_next,
  provider_stream_broken: m.chat_error_again_next,
  service_unavailable: m.chat_error_again_next,
  internal_error: m.chat_error_again_next,
  deadline_exceeded: m.chat_error_deadline_next,
  provider_rejected: m.chat_error_settings_next,
  provider_credentials_rejected: m.chat_error_admin_next,
  provider_not_configured: m.chat_error_admin_next,
  model_not_found: m.chat_error_settings_next,
};

/** What happened and what to try. */
export function describeRunError({ code, message, details }: NonNullable<Answer['error']>): {
  what: string;
  next: string;
} {
  return {
    what: describeCode(code, message, details).what,
    next: (Object.hasOwn(next, code) ? next[code] : undefined)?.() ?? m.chat_error_again_next(),
  };
}
