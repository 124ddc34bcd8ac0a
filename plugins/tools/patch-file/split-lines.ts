/** A line and what ends it; the last line of a file may have no end. */
export interface Line {
  readonly text: string;
  readonly end: '\n' | '\r\n' | '';
}

/** The lines of a text, so that putting them together again gives the same text. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length) {
    const at = text.indexOf('\n', start);
    if (at === -1) {
      lines.push({ text: text.slice(start), end: '' });
      break;
    }
    const end = at > start && text[at - 1] === '\r' ? '\r\n' : '\n';
    lines.push({ text: text.slice(start, at + 1 - end.length), end });
    start = at + 1;
  }
  return lines;
}
