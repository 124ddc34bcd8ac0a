import type { Block, ExtractedDocument } from '../extract/extracted-document.ts';
import { createTokenCounter } from './count-tokens.ts';
import { cutSentences, type Stretch } from './cut-sentences.ts';
import { blockText, joinBlocks, separatorOf } from './join-blocks.ts';

export interface ChunkLimits {
  maxTokens?: number;
  overlapTokens?: number;
}

/** A passage: a stretch of the document's text that stays within one section. */
export interface Chunk {
  ordinal: number;
  /** `text.slice(start, end)`; where a table goes on, after the table's header. */
  content: string;
  headingPath: string[];
  pageFrom: number | null;
  pageTo: number | null;
  tokens: number;
  /** Where it stands in `joinBlocks(document)`. */
  start: number;
  end: number;
}

/** What is never torn apart: a sentence, a row, or a piece of one that is too long. */
interface Unit extends Stretch {
  page: number | null;
  isRow: boolean;
  /** The header of the table that this row goes on. */
  header: Stretch | null;
}

interface Section {
  path: string[];
  level: number;
  units: Unit[];
  /** The heading itself, as text. */
  heading: Unit[];
}

const longestHeading = 200;

/** Cuts a document into passages of at most `maxTokens`, each of which repeats the last sentences of the one before. */
export function splitBlocks(
  document: ExtractedDocument,
  { maxTokens = 300, overlapTokens = 40 }: ChunkLimits = {},
): Chunk[] {
  const text = joinBlocks(document);
  const count = createTokenCounter();
  const chunks: Chunk[] = [];
  const sections = findSections(document.blocks, maxTokens, count);
  for (const [index, section] of sections.entries()) {
    // A heading that neither text nor a heading below it follows would be lost: it becomes a passage of its own.
    const isAlone = section.units.length === 0 && (sections[index + 1]?.level ?? 0) <= section.level;
    const units = isAlone ? section.heading : section.units;
    const headingPath = isAlone ? section.path.slice(0, -1) : section.path;
    for (const part of gatherUnits(units, text, maxTokens, overlapTokens, count))
      chunks.push({ ordinal: chunks.length, headingPath, ...part });
  }
  return chunks;
}

function findSections(blocks: Block[], maxTokens: number, count: (text: string) => number): Section[] {
  let section: Section = { path: [], level: 0, units: [], heading: [] };
  const sections = [section];
  const path: { level: number; text: string }[] = [];
  let header: Stretch | null = null;
  let offset = 0;
  for (const [index, block] of blocks.entries()) {
    const text = blockText(block);
    const next = blocks[index + 1];
    if (block.kind === 'heading' && text.trim() !== '') {
      while ((path.at(-1)?.level ?? 0) >= block.level) path.pop();
      const isLong = text.length > longestHeading;
      path.push({
        level: block.level,
        text: isLong ? `${text.slice(0, longestHeading).toWellFormed()}…` : text.trim(),
      });
      const heading = toUnits(block, text, offset, null);
      // What is too long for a heading is text as well.
      const units = isLong ? [...heading] : [];
      section = { path: path.map((above) => above.text), level: block.level, units, heading };
      sections.push(section);
    } else {
      if (block.kind === 'row' && (block.header === true || blocks[index - 1]?.kind !== 'row')) header = null;
      const cut = toUnits(block, text, offset, block.kind === 'row' ? header : null);
      section.units.push(...cut);
      const [first] = cut;
      if (
        block.kind === 'row' &&
        header === null &&
        cut.length === 1 &&
        first !== undefined &&
        first.tokens * 3 <= maxTokens
      )
        header = first;
    }
    offset += text.length + (next === undefined ? 0 : separatorOf(block, next).length);
  }
  return sections;

  function toUnits(block: Block, text: string, at: number, tableHeader: Stretch | null): Unit[] {
    const isRow = block.kind === 'row';
    const rowTokens = isRow ? count(text) : Infinity;
    const room = tableHeader === null ? maxTokens : maxTokens - tableHeader.tokens - 1;
    const whole = { start: 0, end: text.length, tokens: rowTokens };
    const stretches = rowTokens <= room ? [whole] : [...cutSentences(text, room, count)];
    return stretches.map(({ start, end, tokens }) => ({
      start: at + start,
      end: at + end,
      tokens: tokens + 1,
      page: block.page ?? null,
      isRow,
      header: tableHeader,
    }));
  }
}

type Part = Omit<Chunk, 'ordinal' | 'headingPath'>;

function* gatherUnits(
  units: Unit[],
  text: string,
  maxTokens: number,
  overlapTokens: number,
  count: (text: string) => number,
): Generator<Part> {
  // From `first` on it is the chunk's text, from `own` on it is new.
  let first = 0;
  let own = 0;
  while (own < units.length) {
    let after = own;
    let sum = (units[first]?.header?.tokens ?? 0) + sumTokens(units.slice(first, own));
    for (let unit = units[after]; unit !== undefined && sum + unit.tokens <= maxTokens; unit = units[after]) {
      sum += unit.tokens;
      after += 1;
    }
    let part = makePart(units.slice(first, Math.max(after, own + 1)), text, count);
    // The parts of a text do not always come to what the whole does.
    while (part.tokens > maxTokens && after > own + 1) {
      after -= 1;
      part = makePart(units.slice(first, after), text, count);
    }
    if (part.tokens > maxTokens && first < own) {
      first = own;
      continue;
    }
    yield part;
    own = Math.max(after, own + 1);
    first = findOverlap(units, first, own, overlapTokens);
  }
}

const sumTokens = (units: Unit[]) => units.reduce((sum, { tokens }) => sum + tokens, 0);

function makePart(units: Unit[], text: string, count: (text: string) => number): Part {
  const start = units[0]?.start ?? 0;
  const end = units.at(-1)?.end ?? start;
  const header = units[0]?.header ?? null;
  const own = text.slice(start, end);
  const content = header === null ? own : `${text.slice(header.start, header.end)}\n${own}`;
  const pages = units.map(({ page }) => page).filter((page) => page !== null);
  return {
    content,
    pageFrom: pages.length === 0 ? null : Math.min(...pages),
    pageTo: pages.length === 0 ? null : Math.max(...pages),
    tokens: count(content),
    start,
    end,
  };
}

/** How far back the next chunk begins: whole sentences, no rows, and never the whole of the chunk before. */
function findOverlap(units: Unit[], first: number, own: number, overlapTokens: number): number {
  let from = own;
  let sum = 0;
  for (let index = own - 1; index > first; index -= 1) {
    const unit = units[index];
    if (unit === undefined || unit.isRow) break;
    sum += unit.tokens;
    if (sum > overlapTokens) break;
    from = index;
  }
  return from;
}
