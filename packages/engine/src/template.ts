/** A stretch of a template: text that stays, or a placeholder to fill. */
export type Segment = { readonly literal: string } | { readonly placeholder: string };

/** A template after its only parse. What is filled in later is never scanned again. */
export type Template = readonly Segment[];

const PLACEHOLDER = /\{([a-z][a-z0-9_]*)\}/g;

/** Splits a template into literal text and placeholders. */
export function parseTemplate(text: string): Template {
  const segments: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, placeholder] = match;
    if (placeholder === undefined) continue;
    if (match.index > end) segments.push({ literal: text.slice(end, match.index) });
    segments.push({ placeholder });
    end = match.index + whole.length;
  }
  if (end < text.length) segments.push({ literal: text.slice(end) });
  return segments;
}

/** The distinct placeholders of a template, in order of appearance. */
export function placeholdersOf(template: Template): string[] {
  return [...new Set(template.flatMap((segment) => ('placeholder' in segment ? [segment.placeholder] : [])))];
}

/** Fills a template in one pass; a placeholder without a value is replaced by what `unfilled` gives. */
export function fillTemplate(
  template: Template,
  values: ReadonlyMap<string, string>,
  unfilled: (placeholder: string) => string,
): string {
  let result = '';
  for (const segment of template) {
    result +=
      'literal' in segment ? segment.literal : (values.get(segment.placeholder) ?? unfilled(segment.placeholder));
  }
  return result;
}
