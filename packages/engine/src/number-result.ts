import { findCitations, type AttributedSource } from '@lamb/contract';
import { renderPassages } from './render-passages.ts';

/** A passage to be cited, and the tool it arrived through. */
export interface AttributedPassage {
  readonly text: string;
  readonly source: AttributedSource;
}

/** What a tool found, before it is numbered. Plain JSON, as it may come from a journal. */
export interface FoundResult {
  readonly content: string;
  readonly passages?: readonly AttributedPassage[];
  readonly sources: readonly AttributedSource[];
}

/** What a tool found, as the model reads it. */
export interface NumberedResult {
  readonly content: string;
  readonly sources: readonly AttributedSource[];
  /** The last number that was given; undefined as long as nobody cites. */
  readonly lastNumber: number | undefined;
}

/** Whether the model is to cite from it with `[n]`. */
export function isCitable({ passages, sources }: FoundResult): boolean {
  return passages !== undefined || sources.some(({ number }) => number !== undefined);
}

/** Numbers the passages of a result after those that came before it. It depends on its arguments alone, so a restarted run gives the same numbers. */
export function numberResult(found: FoundResult, lastNumber: number | undefined): NumberedResult {
  if (!isCitable(found)) return { content: found.content, sources: found.sources, lastNumber };
  let last = lastNumber ?? 0;
  const next = () => (last += 1);
  const own = renumberMarkers(found, next);
  const passages = (found.passages ?? []).map(({ text, source }) => ({ text, source: { ...source, number: next() } }));
  return {
    content: [own.content, renderPassages(passages)].filter((text) => text !== '').join('\n\n'),
    sources: [...own.sources, ...passages.map(({ source }) => source)],
    lastNumber: last,
  };
}

/** Gives the sources that a tool numbered itself, as an assistant that was asked does, numbers of this turn, in its text too. */
function renumberMarkers({ content, sources }: FoundResult, next: () => number): Omit<FoundResult, 'passages'> {
  const numbers = new Map<number, number>();
  const renumbered = sources.map((source) => {
    if (source.number === undefined) return source;
    const number = numbers.get(source.number) ?? next();
    numbers.set(source.number, number);
    return { ...source, number };
  });
  if (numbers.size === 0) return { content, sources };
  let text = '';
  let done = 0;
  for (const { start, end, numbers: named } of findCitations(content)) {
    // A marker that points at nothing would point at somebody else's source here.
    const known = named.flatMap((number) => numbers.get(number) ?? []);
    text += content.slice(done, start) + known.map((number) => `[${String(number)}]`).join('');
    done = end;
  }
  return { content: text + content.slice(done), sources: renumbered };
}
