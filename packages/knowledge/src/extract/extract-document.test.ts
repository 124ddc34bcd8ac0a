import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { splitBlocks, type Chunk } from '../chunk/split-blocks.ts';
import { extractDocument } from './extract-document.ts';
import type { ExtractedDocument } from './extracted-document.ts';

interface Planted {
  sentence: string;
  page: number | null;
  headingPath: string[];
}

const folder = join(import.meta.dirname, '__fixtures__/documents');
const planted = JSON.parse(await readFile(join(folder, 'planted.json'), 'utf8')) as Record<
  'handout' | 'slides' | 'workbook',
  Planted[]
>;
const never = new AbortController().signal;
// The machine may be busy; what reading costs is measured elsewhere.
const patient = { timeout: 60_000 };

const read = new Map<string, Promise<ExtractedDocument>>();
function extract(file: string, filename = file, mediaType = 'application/octet-stream'): Promise<ExtractedDocument> {
  const key = `${file} ${filename} ${mediaType}`;
  const known = read.get(key);
  if (known !== undefined) return known;
  const reading = readFile(join(folder, file)).then((content) =>
    extractDocument({ content, filename, mediaType }, never),
  );
  read.set(key, reading);
  return reading;
}
const find = (chunks: Chunk[], sentence: string) => chunks.filter(({ content }) => content.includes(sentence));

describe('sentences come back with their page and their headings', () => {
  test.for([
    ['chromium.pdf', 'handout', true, 5],
    ['chromium-untagged.pdf', 'handout', true, 5],
    ['libreoffice.pdf', 'handout', true, 5],
    ['handout.docx', 'handout', false, null],
    ['handout.odt', 'handout', false, null],
    ['handout.html', 'handout', false, null],
    ['handout.md', 'handout', false, null],
    ['slides.pptx', 'slides', true, 3],
    ['workbook.xlsx', 'workbook', false, null],
  ] as const)('%s', patient, async ([file, content, hasPages, pages]) => {
    const document = await extract(file);
    expect(document.pages).toBe(pages);
    const chunks = splitBlocks(document);
    for (const { sentence, page, headingPath } of planted[content]) {
      const found = find(chunks, sentence);
      expect(
        found.map((chunk) => [chunk.headingPath, chunk.pageFrom, chunk.pageTo]),
        sentence,
      ).toEqual([[headingPath, hasPages ? page : null, hasPages ? page : null]]);
    }
  });
});

test('what a document calls itself is its title', patient, async () => {
  expect((await extract('handout.docx')).title).toBe('Water and soil');
  expect((await extract('handout.html')).title).toBe('Water and soil');
});

test('a web page is read without what stands around it', patient, async () => {
  const text = JSON.stringify((await extract('handout.html')).blocks);
  expect(text).not.toMatch(/Sign in|All courses/);
});

test('plain text keeps its paragraphs, a table its rows', patient, async () => {
  const { blocks } = await extract('handout.txt');
  expect(blocks[7]).toEqual({
    kind: 'paragraph',
    text: 'Sand: grains you can see.\nSilt: grains you can feel.\nClay: grains you can only smear.',
  });
  const table = await extract('measurements.csv');
  expect(table.blocks[0]).toEqual({ kind: 'row', cells: ['Place', 'Depth', 'Finding'], header: true });
  expect(table.blocks[2]).toEqual({ kind: 'row', cells: ['School garden', '25 cm', 'Dark humus, one silver button'] });
});

test('the format is seen from the content, whatever name and media type say', patient, async () => {
  const pdf = await extract('libreoffice.pdf', 'handout.docx', 'text/plain');
  expect(pdf.pages).toBe(5);
  const docx = await extract('handout.docx', 'handout.pdf', 'application/pdf');
  expect(docx.blocks[0]).toMatchObject({ kind: 'heading', text: 'Water and soil' });
  const html = await extract('handout.html', 'handout.txt', 'text/plain');
  expect(html.blocks[0]).toMatchObject({ kind: 'heading', text: 'Water and soil' });
  const markdown = await extract('handout.md', 'handout', 'text/markdown; charset=utf-8');
  expect(markdown.blocks[0]).toMatchObject({ kind: 'heading', text: 'Water and soil' });
});

test('a text in an older encoding is read', patient, async () => {
  const content = Buffer.from('caf\u00e9 cr\u00e8me', 'latin1');
  const { blocks } = await extractDocument({ content, filename: 'menu.txt', mediaType: 'text/plain' }, never);
  expect(blocks).toEqual([{ kind: 'paragraph', text: 'café crème' }]);
});
