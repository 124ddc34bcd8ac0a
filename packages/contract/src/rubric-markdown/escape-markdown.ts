const INLINE = /[\\`*_{}[\]<>|~&#$!]/g;
const BLOCK_MARKER = /^(?:([-+=:])|(\d{1,9})([.)])(?=\s|$))/;

/** Text on one line in which nothing is markdown: also safe as a table cell or a heading. */
export function escapeInline(text: string): string {
  return escapeLine(text.replace(/\s+/g, ' ').trim());
}

/** Text in which nothing is markdown and only its paragraphs and line breaks remain. */
export function escapeParagraphs(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => escapeLine(line.trim()))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/([^\n])\n(?=[^\n])/g, '$1\\\n')
    .trim();
}

function escapeLine(line: string): string {
  return line
    .replace(INLINE, '\\$&')
    .replace(BLOCK_MARKER, (_, sign: string | undefined, digits: string, dot: string) =>
      sign === undefined ? `${digits}\\${dot}` : `\\${sign}`,
    );
}
