import type { OfficeContentNode } from 'officeparser';
import type { Block, ExtractedDocument } from './extracted-document.ts';
import { findHeadingSizes, headingLevelOf } from './find-heading-sizes.ts';
import { dropRunningLines } from './drop-running-lines.ts';
import { parseOffice, readNodes } from './read-office.ts';

/**
 * Pages are parsed by the batch, so that progress can be told and memory be given back. The first has one page, so that it
 * is told early, and each the double of the one before: every batch opens the document anew.
 */
const LARGEST_BATCH = 50;

/** Reads a PDF page by page, and tells how many are done. */
export async function readPdf(
  content: Buffer,
  unpackedBytes: number,
  onProgress: (done: number, total: number) => void,
): Promise<ExtractedDocument> {
  const pages: OfficeContentNode[] = [];
  let title: string | null = null;
  let tagged = false;
  let total = 1;
  let batch = 1;
  for (let first = 1; first <= total; first += batch, batch = Math.min(2 * batch, LARGEST_BATCH)) {
    const ast = await parseOffice(content, 'pdf', unpackedBytes, {
      pdfParserConfig: {
        // This process is the separate one already, with limits of its own.
        separateProcess: false,
        pageRange: `${first}-${first + batch - 1}`,
        extractTextColor: false,
      },
    });
    total = ast.metadata.pages ?? ast.content.length;
    title = ast.metadata.title ?? null;
    tagged = ast.metadata.nativeProperties?.['tagged'] === true;
    pages.push(...ast.content);
    onProgress(Math.min(total, first + batch - 1), total);
  }
  const nodes = pages.map((page) => page.children ?? []);
  // A tagged document says what its headings are; any other shows it by the size of the letters.
  const sizes = tagged ? null : findHeadingSizes(nodes.flat());
  const perPage = dropRunningLines(nodes, (node) =>
    sizes === null ? node.type === 'heading' : headingLevelOf(node, sizes) !== null,
  );
  const blocks: Block[] = [];
  for (const [index, page] of pages.entries()) {
    const number = page.type === 'page' ? page.metadata?.pageNumber : undefined;
    for (const node of perPage[index] ?? [])
      for (const block of readNodes([node], number ?? index + 1)) {
        if (sizes === null || block.kind === 'row') blocks.push(block);
        else {
          const level = headingLevelOf(node, sizes);
          const { text, page: on = number ?? index + 1 } = block;
          blocks.push(
            level === null ? { kind: 'paragraph', text, page: on } : { kind: 'heading', level, text, page: on },
          );
        }
      }
  }
  return { title, pages: total, blocks };
}
