import { m } from '#lib/paraglide/messages.js';

/** On which pages a passage stands; empty where the format has none. */
export function describePages(from: number | null, to: number | null): string {
  if (from === null) return '';
  return to === null || to === from ? m.knowledge_page({ page: from }) : m.knowledge_pages_from_to({ from, to });
}
