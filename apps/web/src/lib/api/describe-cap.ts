import { formatDate } from '#lib/format/format-date.ts';
import { m } from '#lib/paraglide/messages.js';

const words: Readonly<Record<string, (inputs: { date: string }) => string>> = {
  organization_tokens: m.errors_cap_organization_tokens,
  organization_cost: m.errors_cap_organization_cost,
  user_tokens: m.errors_cap_user_tokens,
  user_cost: m.errors_cap_user_cost,
};

/** Which cap refuses, and until when; undefined when the server does not tell. */
export function describeCap({ cap, until }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof cap !== 'string' || typeof until !== 'number' || !Object.hasOwn(words, cap)) return undefined;
  return words[cap]?.({ date: formatDate(until) });
}
