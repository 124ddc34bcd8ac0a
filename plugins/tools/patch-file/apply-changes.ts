import { MAX_WORKSPACE_FILE_BYTES } from '@lamb/contract';
import { splitLines, type Line } from './split-lines.ts';

/** Replaces the lines from `line_start` to `line_end`. With `line_end` one less than `line_start`, inserts before `line_start`. */
export interface LineChange {
  readonly line_start: number;
  readonly line_end: number;
  readonly old_content: string;
  readonly new_content: string;
}

/** The changed text, or why there is none and near which line of the file to look. */
export type Applied =
  { readonly text: string; readonly lines: number } | { readonly problem: string; readonly near: number };

/**
 * Applies changes whose line numbers all refer to the text as it is, as if from the last to the first: all of them or
 * none. What is not changed stays as it was to the byte; new lines end as their neighbours do, and the last line has
 * an end if it had one before.
 */
export function applyChanges(text: string, changes: readonly LineChange[]): Applied {
  const lines = splitLines(text);
  const ordered = changes
    .map((change) => fitEmptyFile(change, lines))
    .toSorted((one, other) => one.line_start - other.line_start || one.line_end - other.line_end);
  const problem = findProblem(lines, ordered);
  if (problem) return problem;

  const result: Line[] = [];
  let next = 0;
  for (const { line_start, line_end, new_content } of ordered) {
    for (const line of lines.slice(next, line_start - 1)) result.push(line);
    const end = chooseEnd(lines, line_start - 1);
    for (const line of splitContent(new_content)) result.push({ text: line, end });
    next = line_end;
  }
  for (const line of lines.slice(next)) result.push(line);
  const changed = joinLines(result, lines);
  if (new TextEncoder().encode(changed).length > MAX_WORKSPACE_FILE_BYTES) {
    const problem = 'The file would be larger than 2 MB. Make it smaller, or split it into several files.';
    return { problem, near: 1 };
  }
  return { text: changed, lines: result.length };
}

/** An empty file has no lines, but people and models see one that is empty. */
function fitEmptyFile(change: LineChange, lines: readonly Line[]): LineChange {
  const seen = lines.length === 0 && change.line_start === 1 && change.line_end === 1;
  return seen ? { ...change, line_end: 0 } : change;
}

function findProblem(
  lines: readonly Line[],
  ordered: readonly LineChange[],
): Extract<Applied, { near: number }> | undefined {
  for (const { line_start: start, line_end: end } of ordered) {
    if (start < 1 || end < start - 1 || end > lines.length || start > lines.length + 1) {
      const problem =
        `Invalid line range ${start}-${end}: the file has ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}. ` +
        'All line numbers refer to the original file, before any change of this call.';
      return { problem, near: start };
    }
  }
  for (const [index, change] of ordered.entries()) {
    const previous = ordered[index - 1];
    if (!previous) continue;
    const samePlace = isInsertion(previous) && isInsertion(change) && previous.line_start === change.line_start;
    if (previous.line_end < change.line_start && !samePlace) continue;
    const problem = `Overlapping changes: ${name(previous)} and ${name(change)}. Put them together into one change.`;
    return { problem, near: change.line_start };
  }
  for (const change of ordered) {
    const there = lines.slice(change.line_start - 1, change.line_end).map((line) => line.text);
    if (normalize(there.join('\n')) === normalize(change.old_content)) continue;
    const problem =
      `Content mismatch at ${name(change)}: old_content is not what the file has there. ` +
      'All line numbers refer to the original file, before any change of this call.';
    return { problem, near: change.line_start };
  }
  return undefined;
}

function isInsertion({ line_start, line_end }: LineChange): boolean {
  return line_end < line_start;
}

function name(change: LineChange): string {
  return isInsertion(change)
    ? `the insertion before line ${change.line_start}`
    : `lines ${change.line_start}-${change.line_end}`;
}

/** Line breaks at the end do not count: the range says how many lines are meant, and models are not careful with them. */
function normalize(content: string): string {
  const text = content.replaceAll(/\r\n?/g, '\n');
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

/** The lines of new content; a line break at its end starts no further line. */
function splitContent(content: string): string[] {
  if (content === '') return [];
  const lines = content.split(/\r\n|\r|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** How lines end at this place of the file. */
function chooseEnd(lines: readonly Line[], index: number): '\n' | '\r\n' {
  const neighbour = [lines[index], lines[index - 1], lines[0]].find((line) => line !== undefined && line.end !== '');
  return neighbour?.end === '\r\n' ? '\r\n' : '\n';
}

function joinLines(result: readonly Line[], original: readonly Line[]): string {
  const endsOpen = original.at(-1)?.end === '';
  // The line that was the last one and is not any more has no end of its own.
  const missing = chooseEnd(original, original.length - 1);
  return result
    .map(({ text, end }, index) => {
      if (index === result.length - 1 && endsOpen) return text;
      return text + (end === '' ? missing : end);
    })
    .join('');
}
