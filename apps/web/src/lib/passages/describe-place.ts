import type { Source } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';

/** Where in a document a passage stands: “p. 3–4 · Cells › Division”. */
export function describePlace({
  page,
  page_to: to,
  heading_path: path = [],
}: Pick<Source, 'page' | 'page_to' | 'heading_path'>): string {
  const pages =
    page === undefined
      ? []
      : [to === undefined || to === page ? m.chat_page({ page }) : m.chat_pages({ from: page, to })];
  return [...pages, ...(path.length > 0 ? [path.join(' › ')] : [])].join(' · ');
}
