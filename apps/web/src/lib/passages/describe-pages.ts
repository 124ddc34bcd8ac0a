import { m } from '#lib/paraglide/messages.js';

/** On which pages a passage stands; empty where the format has none. */
export function describePages(from: number | null | undefined, to: number | null | undefined): string {
  if (from === null || from === undefined) return '';
  const isOne = to === null || to === undefined || to === from;
  return isOne ? m.knowledge_page({ page: from }) : m.knowledge_pages_from_to({ from, to });
}
