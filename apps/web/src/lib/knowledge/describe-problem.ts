import { m } from '#lib/paraglide/messages.js';

/** What each code of a document that cannot be read in means, and what to do next. */
const words: Readonly<Record<string, (inputs: { text: string }) => string>> = {
  password_protected: m.documents_password_protected,
  corrupt: m.documents_corrupt,
  no_text: m.documents_no_text,
  too_large_unpacked: m.documents_too_large_unpacked,
  too_much_text: m.documents_too_much_text,
  took_too_long: m.documents_took_too_long,
  too_much_memory: m.documents_too_much_memory,
  unsupported_format: m.documents_unsupported_format,
  provider_not_configured: m.documents_provider_not_configured,
  provider_credentials: m.documents_provider_credentials,
  provider_rejected: m.documents_provider_rejected,
  provider_limited: m.documents_provider_limited,
  provider_unavailable: m.documents_provider_unavailable,
  provider_paused: m.documents_provider_paused,
  provider_malformed: m.documents_provider_malformed,
  provider_dimensions: m.documents_provider_dimensions,
  budget_exceeded: m.documents_budget_exceeded,
  unexpected: m.documents_unexpected,
};

/** Why a document could not be read in, in the person's language; in English where the code is a new one. */
export function describeProblem(code: string | null, text: string): string {
  return (code !== null && Object.hasOwn(words, code) ? words[code]?.({ text }) : undefined) ?? text;
}
