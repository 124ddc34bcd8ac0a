const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

export interface Stretch {
  start: number;
  end: number;
  tokens: number;
}

/** Sentences of a text as stretches of it, none above `maxTokens`; a longer one is cut between words, or else anywhere. */
export function* cutSentences(text: string, maxTokens: number, count: (text: string) => number): Generator<Stretch> {
  for (const { segment, index } of segmenter.segment(text)) {
    const start = index + segment.length - segment.trimStart().length;
    const end = index + segment.trimEnd().length;
    if (start < end) yield* cutLong(text, start, end, maxTokens, count);
  }
}

function* cutLong(
  text: string,
  start: number,
  end: number,
  maxTokens: number,
  count: (text: string) => number,
): Generator<Stretch> {
  // Counted as it will stand alone: a word without the blank before it may have more tokens.
  const countPiece = (at: number, length: number) => count(text.slice(at, at + length).trimEnd());
  let at = start;
  while (at < end) {
    const window = Math.min(end - at, maxTokens * 8);
    let length = at + window < end ? findCut(text, at, window) : window;
    let tokens = countPiece(at, length);
    while (tokens > maxTokens && length > 2) {
      length = findCut(text, at, Math.max(1, Math.min(length - 1, Math.floor((length * maxTokens) / tokens))));
      tokens = countPiece(at, length);
    }
    yield { start: at, end: at + text.slice(at, at + length).trimEnd().length, tokens };
    at += length;
    while (at < end && text[at]?.trim() === '') at += 1;
  }
}

/** The length nearest below at which a piece may end: after a blank in its second half, or not within a pair. */
function findCut(text: string, at: number, length: number): number {
  const piece = text.slice(at, at + length);
  if (/\s/.test(text[at + length] ?? ' ')) return length;
  const blank = Math.max(...[' ', '\n', '\t'].map((mark) => piece.lastIndexOf(mark)));
  if (blank > length / 2) return blank + 1;
  const isPair = /[\ud800-\udbff]/.test(text[at + length - 1] ?? '') && /[\udc00-\udfff]/.test(text[at + length] ?? '');
  if (!isPair) return length;
  return length > 1 ? length - 1 : 2;
}
