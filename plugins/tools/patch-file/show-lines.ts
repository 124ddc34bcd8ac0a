import { splitLines } from './split-lines.ts';

const BEFORE = 10;
const AFTER = 40;
const MAX_LINE_CHARS = 300;

/** The lines of a file around one of them, numbered as a model needs them to correct itself. */
export function showLines(text: string, near: number): string {
  const lines = splitLines(text);
  if (lines.length === 0) return 'The file is empty.';
  const middle = Math.min(Math.max(near, 1), lines.length);
  const first = Math.max(1, middle - BEFORE);
  const shown = lines.slice(first - 1, middle + AFTER).map((line, index) => `${first + index}: ${clip(line.text)}`);
  return `Lines ${first}-${first + shown.length - 1} of ${lines.length}:\n${shown.join('\n')}`;
}

function clip(line: string): string {
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}… [cut here]`;
}
