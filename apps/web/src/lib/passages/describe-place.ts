import { describePages } from './describe-pages.ts';

interface Place {
  readonly page?: number | null | undefined;
  readonly page_to?: number | null | undefined;
  readonly heading_path?: readonly string[] | undefined;
}

/** Where in a document a passage stands: “p. 3–4 · Cells › Division”. */
export function describePlace({ page, page_to, heading_path = [] }: Place): string {
  return [describePages(page, page_to), heading_path.join(' › ')].filter(Boolean).join(' · ');
}
