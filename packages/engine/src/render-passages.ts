import type { Source } from '@lamb/contract';

interface NumberedPassage {
  readonly text: string;
  readonly source: Source & { readonly number: number };
}

/** Numbered passages as the model reads them, each with where it stands, after a sentence on how to cite them. */
export function renderPassages(passages: readonly NumberedPassage[]): string {
  const [first] = passages;
  if (!first) return '';
  const instruction = `Each passage below begins with its number. When you use one, cite it right after the statement with its number in square brackets, such as [${String(first.source.number)}]. Cite nothing that has no number here.`;
  const blocks = passages.map(
    ({ text, source }) => `[${String(source.number)}] ${text.trim()}\n(${describePlace(source)})`,
  );
  return [instruction, ...blocks].join('\n\n');
}

function describePlace({ title, page, page_to: last, heading_path: headings = [] }: Source): string {
  const pages =
    page === undefined ? '' : last === undefined ? `p. ${String(page)}` : `pp. ${String(page)}–${String(last)}`;
  const place = [title, pages, headings.join(' > ')];
  return place
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join(', ');
}
