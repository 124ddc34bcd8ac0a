import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import type { Block, ExtractedDocument } from '../extract/extracted-document.ts';
import { indexText } from './index-text.ts';
import { joinBlocks } from './join-blocks.ts';
import { splitBlocks } from './split-blocks.ts';

const documentOf = (...blocks: Block[]): ExtractedDocument => ({ title: null, pages: null, blocks });
const paragraph = (text: string, page?: number): Block => ({
  kind: 'paragraph',
  text,
  ...(page === undefined ? {} : { page }),
});
const heading = (level: number, text: string): Block => ({ kind: 'heading', level, text });
const sentence = (number: number) => `Sentence number ${number} tells of the rain on the terraces of Arenzo.`;
const sentences = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => sentence(from + index)).join(' ');
const realTokens = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

describe('any document', () => {
  const word = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('rain', 'soil', 'water.', 'Terraces', 'are', 'why?', 'so', 'clay!', '3.5'),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom(
      '<|endoftext|>',
      '𝒳𝒴𝒵',
      '👩‍👩‍👧‍👦',
      '\r\n',
      '\n\n',
      '\t',
      'نص عربي',
      '水土。',
      'x'.repeat(90),
      '𐍈'.repeat(40),
    ),
  );
  const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));
  const page = fc.option(fc.nat({ max: 9 }), { nil: null });
  const onPage = <T extends object>(block: T, number: number | null) =>
    number === null ? block : { ...block, page: number };
  const block: fc.Arbitrary<Block> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(text, page).map(([value, on]) => onPage({ kind: 'paragraph' as const, text: value }, on)),
    },
    fc
      .tuple(fc.integer({ min: 1, max: 4 }), text, page)
      .map(([level, value, on]) => onPage({ kind: 'heading' as const, level, text: value }, on)),
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.array(text, { minLength: 1, maxLength: 3 }), fc.boolean(), page)
        .map(([cells, header, on]) =>
          onPage({ kind: 'row' as const, cells, ...(header ? { header: true as const } : {}) }, on),
        ),
    },
  );
  const document = fc.array(block, { maxLength: 25 }).map((blocks) => documentOf(...blocks));
  const limits = fc.record({
    maxTokens: fc.integer({ min: 20, max: 120 }),
    overlapTokens: fc.integer({ min: 0, max: 10 }),
  });

  test('loses no text, keeps its order, its offsets and the limit', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(document, limits, (given, { maxTokens, overlapTokens }) => {
        const whole = joinBlocks(given);
        const chunks = splitBlocks(given, { maxTokens, overlapTokens });
        const covered = new Uint8Array(whole.length);
        let before = { start: -1, end: -1 };
        for (const [index, chunk] of chunks.entries()) {
          expect(chunk.ordinal).toBe(index);
          expect(chunk.start).toBeGreaterThan(before.start);
          expect(chunk.end).toBeGreaterThan(before.end);
          expect(chunk.content.endsWith(whole.slice(chunk.start, chunk.end))).toBe(true);
          expect(chunk.tokens).toBeLessThanOrEqual(maxTokens);
          expect(realTokens(chunk.content)).toBeLessThanOrEqual(maxTokens);
          covered.fill(1, chunk.start, chunk.end);
          before = chunk;
        }
        // Headings are in the text of the chunks below them by their path.
        const paths = new Set(chunks.flatMap(({ headingPath }) => headingPath));
        let at = 0;
        for (const { text: blockText, kind } of given.blocks.map((one) =>
          one.kind === 'row' ? { kind: one.kind, text: one.cells.join(' | ') } : one,
        )) {
          const start = whole.indexOf(blockText, at);
          expect(start).toBeGreaterThanOrEqual(at);
          at = start + blockText.length;
          if (kind === 'heading' && blockText.length <= 200 && paths.has(blockText.trim())) continue;
          for (let index = start; index < at; index += 1)
            if (covered[index] === 0 && whole[index]?.trim() !== '') expect.fail(`lost at ${index}: ${blockText}`);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('is never cut within a pair of surrogates', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 60 }), fc.integer({ min: 1, max: 400 }), (maxTokens, length) => {
        const given = documentOf(paragraph('𐍈'.repeat(length)));
        for (const { content } of splitBlocks(given, { maxTokens, overlapTokens: 5 }))
          expect(content.isWellFormed()).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

test('a line of a million characters without spaces is cut, and quickly', () => {
  const given = documentOf(paragraph('a'.repeat(1_000_000)));
  const chunks = splitBlocks(given);
  expect(chunks.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(1_000_000);
  expect(Math.max(...chunks.map(({ tokens }) => tokens))).toBeLessThanOrEqual(300);
});

test('text without ends of sentences is cut between words', () => {
  const given = documentOf(paragraph('rain soil water '.repeat(500).trim()));
  const chunks = splitBlocks(given, { maxTokens: 100, overlapTokens: 0 });
  expect(chunks.length).toBeGreaterThan(10);
  for (const { content } of chunks) expect(content).toMatch(/^(rain|soil|water)\b.*\b(rain|soil|water)$/);
});

test('chunks end where sentences do, and begin with the last sentences of the one before', () => {
  const chunks = splitBlocks(documentOf(paragraph(sentences(1, 60))));
  expect(chunks.length).toBeGreaterThan(2);
  for (const [index, { content, tokens }] of chunks.entries()) {
    expect(content).toMatch(/^Sentence number \d+ tells/);
    expect(content).toMatch(/Arenzo\.$/);
    if (index < chunks.length - 1) expect(tokens).toBeGreaterThan(250);
    const next = chunks[index + 1];
    if (next === undefined) continue;
    const [repeated = ''] = next.content.split(/(?<=\.) /);
    expect(content).toContain(repeated);
    expect(next.start).toBeLessThan(chunks[index]?.end ?? 0);
  }
});

test('no chunk reaches over a section, and each knows the headings above it', () => {
  const chunks = splitBlocks(
    documentOf(
      heading(1, 'Water'),
      paragraph('Before.'),
      heading(2, 'Rain'),
      paragraph('Falls.'),
      heading(3, 'Rain in July'),
      paragraph('Hardly falls.'),
      heading(2, 'Rivers'),
      paragraph('Run.'),
      heading(1, 'Soil'),
      paragraph('Stays.'),
    ),
  );
  expect(chunks.map(({ headingPath, content }) => [...headingPath, content])).toEqual([
    ['Water', 'Before.'],
    ['Water', 'Rain', 'Falls.'],
    ['Water', 'Rain', 'Rain in July', 'Hardly falls.'],
    ['Water', 'Rivers', 'Run.'],
    ['Soil', 'Stays.'],
  ]);
});

test('a heading with nothing below it is found as a passage', () => {
  const chunks = splitBlocks(
    documentOf(heading(1, 'Water'), heading(2, 'Rain'), heading(2, 'Snow'), paragraph('Melts.')),
  );
  expect(chunks.map(({ headingPath, content }) => [...headingPath, content])).toEqual([
    ['Water', 'Rain'],
    ['Water', 'Snow', 'Melts.'],
  ]);
});

test('a table that goes on repeats its header, and the next table has its own', () => {
  const row = (cells: string[], header?: true): Block => ({ kind: 'row', cells, ...(header ? { header } : {}) });
  const given = documentOf(
    row(['Month', 'Rainfall'], true),
    ...Array.from({ length: 60 }, (_, index) => row([`Month ${index}`, `${index} mm`])),
    row(['Place', 'Depth'], true),
    ...Array.from({ length: 60 }, (_, index) => row([`Place ${index}`, `${index} cm`])),
  );
  const whole = joinBlocks(given);
  const chunks = splitBlocks(given, { maxTokens: 100, overlapTokens: 20 });
  for (const { content, start, end } of chunks) {
    expect(content).toMatch(/^(Month \| Rainfall|Place \| Depth)\n|^Month \d+/);
    if (content.startsWith('Month | Rainfall\nMonth')) expect(content).toContain('mm');
    expect(content.endsWith(whole.slice(start, end))).toBe(true);
  }
  expect(chunks.filter(({ content }) => content.startsWith('Month | Rainfall')).length).toBeGreaterThan(3);
  expect(chunks.filter(({ content }) => content.startsWith('Place | Depth')).length).toBeGreaterThan(3);
  for (const { content } of chunks) if (content.startsWith('Place | Depth')) expect(content).not.toContain('mm');
});

test('a chunk tells from which page to which it goes', () => {
  const chunks = splitBlocks(
    documentOf(
      paragraph(sentences(1, 8), 3),
      paragraph(sentences(9, 16), 4),
      heading(1, 'Next'),
      paragraph('Alone.', 7),
    ),
  );
  expect(chunks.map(({ pageFrom, pageTo }) => [pageFrom, pageTo])).toEqual([
    [3, 4],
    [7, 7],
  ]);
  expect(splitBlocks(documentOf(paragraph('No pages.')))[0]).toMatchObject({ pageFrom: null, pageTo: null });
});

test('a heading too long to be one is text, and does not make every passage long', () => {
  const chunks = splitBlocks(documentOf(heading(1, sentences(1, 40)), paragraph('Below.')));
  expect(chunks.map(({ content }) => content).join(' ')).toContain(sentence(40));
  for (const chunk of chunks) expect(indexText(chunk).length).toBeLessThan(chunk.content.length + 210);
});

test('what is indexed begins with the headings', () => {
  const [chunk] = splitBlocks(documentOf(heading(1, 'Water'), heading(2, 'Rain'), paragraph('Falls.')));
  expect(chunk && indexText(chunk)).toBe('Water > Rain\nFalls.');
  expect(indexText({ headingPath: [], content: 'Falls.' })).toBe('Falls.');
});
