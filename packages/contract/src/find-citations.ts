/** A marker such as `[2]` or `[1, 3]` in an answer: where it stands, and the numbers of the sources that it names. */
export interface CitationMarker {
  readonly start: number;
  readonly end: number;
  readonly numbers: readonly number[];
}

/** `[1](…)` is a link with an address of its own, and `\[1]` is meant to be read as it is. */
const marker = /(?<!\\)\[ ?(\d{1,4}(?: ?[,;–-] ?\d{1,4}){0,49}) ?\](?!\()/g;
const MAX_RANGE = 50;

/** Finds the markers of an answer in Markdown, in their order. What stands in code, such as `a[1]`, is none. */
export function findCitations(text: string): CitationMarker[] {
  return [...blankCode(text).matchAll(marker)].map(({ 0: found, 1: list = '', index }) => ({
    start: index,
    end: index + found.length,
    numbers: [...new Set(list.split(/[,;]/).flatMap(readRange))],
  }));
}

/** The numbers of `3` or `3–5`; what cannot be a range is two numbers. */
function readRange(item: string): number[] {
  const [from = 0, to = from, ...more] = item.split(/[–-]/).map(Number);
  if (more.length > 0 || to < from || to - from > MAX_RANGE) return [from, to, ...more];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const fenceLine = /^[\t >]*(?:(?:[*+-]|\d{1,9}[.)])[\t ]+)?(`{3,}|~{3,})(.*)$/;

/** The same text with spaces in place of code, so that every position stays what it was. */
function blankCode(text: string): string {
  if (!/[`~]/.test(text)) return text;
  let blanked = '';
  let paragraph = '';
  let fence: string | undefined;
  const endParagraph = () => {
    blanked += blankSpans(paragraph);
    paragraph = '';
  };
  for (const line of text.split(/(?<=\n)/)) {
    const [, run = '', rest = ''] = fenceLine.exec(line.trimEnd()) ?? [];
    if (fence !== undefined) {
      blanked += blank(line);
      if (run.startsWith(fence) && rest.trim() === '') fence = undefined;
    } else if (run !== '' && !(run.startsWith('`') && rest.includes('`'))) {
      endParagraph();
      blanked += blank(line);
      fence = run;
    } else {
      paragraph += line;
      // A span of code does not reach beyond its paragraph.
      if (line.trim() === '') endParagraph();
    }
  }
  endParagraph();
  return blanked;
}

/** Blanks spans of code: what stands between two runs of the same number of backticks. */
function blankSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  // From the end, so that each run knows the next one like it without looking for it.
  const next = new Map<number, number>();
  const closers = runs.map(() => 0);
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.length ?? 0;
    closers[at] = next.get(length) ?? 0;
    next.set(length, at);
  }
  let blanked = '';
  let done = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const opening = runs[at];
    const closing = runs[closers[at] ?? 0];
    if (!opening || !closing || closing.index <= opening.index || paragraph[opening.index - 1] === '\\') continue;
    const end = closing.index + closing.length;
    blanked += paragraph.slice(done, opening.index) + blank(paragraph.slice(opening.index, end));
    done = end;
    at = closers[at] ?? at;
  }
  return blanked + paragraph.slice(done);
}

function blank(code: string): string {
  return ' '.repeat(code.length);
}
