const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

/** The patterns below take longer than the text is long when it is full of openings without an end. */
const MAX_CHARS = 10_000;

/** HTML as people read it, in one line. Not for output into a page: what comes out is text, not safe markup. */
export function toPlainText(html: string): string {
  return html
    .slice(0, MAX_CHARS)
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(#39|[a-z]{2,4});/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}
