/** How many lines of the surroundings are shown. */
const CONTEXT = 3;
/** Past this many the shortest difference costs too much, and what differs is shown as replaced in one piece. */
const MAX_EDITS = 500;

/** The difference between two versions of a file as `patch` reads it; nothing when they are the same. */
export function createUnifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  const old = toLines(before);
  const now = toLines(after);
  const hunks = groupBlocks(findBlocks(old, now)).map((blocks) => formatHunk(old, now, blocks));
  // A tab ends a name that has spaces in it.
  const name = path.includes(' ') ? `${path}\t` : path;
  return `--- a/${name}\n+++ b/${name}\n${hunks.join('')}`;
}

/** Lines `oldStart` to `oldEnd` became `newStart` to `newEnd`; counted from 0, ends excluded. */
interface Block {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function findBlocks(old: readonly string[], now: readonly string[]): Block[] {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;

  const [from, to] = numberLines(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const { removed, added } = markEdits(from, to);
  const blocks: Block[] = [];
  let i = 0;
  let j = 0;
  while (i < from.length || j < to.length) {
    const start = { oldStart: head + i, newStart: head + j };
    while (removed[i] === 1) i += 1;
    while (added[j] === 1) j += 1;
    if (head + i > start.oldStart || head + j > start.newStart) {
      blocks.push({ ...start, oldEnd: head + i, newEnd: head + j });
    }
    i += 1;
    j += 1;
  }
  return blocks;
}

/** Numbers compare faster than lines. */
function numberLines(old: readonly string[], now: readonly string[]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  return [Int32Array.from(old, numberOf), Int32Array.from(now, numberOf)];
}

interface Edits {
  /** 1 for each line that is removed. */
  readonly removed: Uint8Array;
  /** 1 for each line that is added. */
  readonly added: Uint8Array;
}

/** Marks a shortest way from one to the other (Myers 1986), or replaces everything where that would take too long. */
function markEdits(from: Int32Array, to: Int32Array): Edits {
  const edits = { removed: new Uint8Array(from.length), added: new Uint8Array(to.length) };
  const rounds = searchPath(from, to);
  if (!rounds) {
    edits.removed.fill(1);
    edits.added.fill(1);
    return edits;
  }
  let x = from.length;
  let y = to.length;
  for (let d = rounds.length - 1; d > 0; d -= 1) {
    const reached = rounds[d - 1];
    if (!reached) break;
    const k = x - y;
    const down = goesDown(reached, k, d);
    const previous = read(reached, down ? k + 1 : k - 1);
    if (down) {
      y = previous - k - 1;
      edits.added[y] = 1;
    } else {
      y = previous - k + 1;
      edits.removed[previous] = 1;
    }
    x = previous;
  }
  return edits;
}

/** How far each diagonal got after each number of edits, the last one reaching the end. */
function searchPath(from: Int32Array, to: Int32Array): Int32Array[] | undefined {
  const rounds: Int32Array[] = [];
  let reached = new Int32Array(3);
  for (let d = 0; d <= Math.min(from.length + to.length, MAX_EDITS); d += 1) {
    const now = new Int32Array(2 * d + 3);
    rounds.push(now);
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : goesDown(reached, k, d) ? read(reached, k + 1) : read(reached, k - 1) + 1;
      let y = x - k;
      while (x < from.length && y < to.length && from[x] === to[y]) {
        x += 1;
        y += 1;
      }
      write(now, k, x);
      if (x >= from.length && y >= to.length) return rounds;
    }
    reached = now;
  }
  return undefined;
}

/** Whether the best way to diagonal `k` in round `d` adds a line instead of removing one. */
function goesDown(reached: Int32Array, k: number, d: number): boolean {
  return k === -d || (k !== d && read(reached, k - 1) < read(reached, k + 1));
}

/** Diagonals run from -d to d, with one more at each side. */
function read(reached: Int32Array, k: number): number {
  return reached[k + (reached.length - 1) / 2] ?? 0;
}

function write(reached: Int32Array, k: number, x: number): void {
  reached[k + (reached.length - 1) / 2] = x;
}

/** Blocks whose surroundings touch share a hunk. */
function groupBlocks(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    if (group && previous && block.oldStart - previous.oldEnd <= 2 * CONTEXT) group.push(block);
    else groups.push([block]);
  }
  return groups;
}

function formatHunk(old: readonly string[], now: readonly string[], blocks: readonly Block[]): string {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (!first || !last) return '';
  const before = Math.min(CONTEXT, first.oldStart);
  const after = Math.min(CONTEXT, old.length - last.oldEnd);
  const oldRange = formatRange(first.oldStart - before, last.oldEnd + after);
  const newRange = formatRange(first.newStart - before, last.newEnd + after);
  let hunk = `@@ -${oldRange} +${newRange} @@\n`;
  let next = first.oldStart - before;
  for (const { oldStart, oldEnd, newStart, newEnd } of blocks) {
    hunk += formatLines(' ', old.slice(next, oldStart));
    hunk += formatLines('-', old.slice(oldStart, oldEnd));
    hunk += formatLines('+', now.slice(newStart, newEnd));
    next = oldEnd;
  }
  return hunk + formatLines(' ', old.slice(next, last.oldEnd + after));
}

/** An empty range is named by the line before it. */
function formatRange(start: number, end: number): string {
  return `${end === start ? start : start + 1},${end - start}`;
}

function formatLines(sign: ' ' | '-' | '+', lines: readonly string[]): string {
  return lines
    .map((line) => (line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`))
    .join('');
}
