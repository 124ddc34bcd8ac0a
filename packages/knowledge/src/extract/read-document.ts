import { cleanText } from './clean-text.ts';
import { decodeText } from './decode-text.ts';
import { detectContentKind, detectOfficeFormat, detectTextFormat, extensionOf } from './detect-format.ts';
import type { Block, ExtractedDocument } from './extracted-document.ts';
import { ExtractionFailure } from './extraction-failure.ts';
import { checkArchive, listArchive, readSmallEntry } from './list-archive.ts';
import { readCsv } from './read-csv.ts';
import { readText } from './read-text.ts';

export interface DocumentSource {
  content: Buffer;
  filename: string;
  mediaType: string;
  unpackedBytes: number;
  onProgress: (done: number, total: number) => void;
}

const binaryExtensions = new Set(['pdf', 'docx', 'pptx', 'xlsx', 'odt']);

// Parsers are loaded when they are needed: loading all of them takes longer than reading most documents.
async function readBlocks(source: DocumentSource): Promise<ExtractedDocument> {
  const { content, filename, mediaType, unpackedBytes, onProgress } = source;
  if (content.length === 0) throw new ExtractionFailure('no_text');
  switch (detectContentKind(content)) {
    case 'pdf':
      return (await import('./read-pdf.ts')).readPdf(content, unpackedBytes, onProgress);
    case 'archive': {
      const entries = listArchive(content);
      checkArchive(entries, unpackedBytes);
      const format = detectOfficeFormat(entries, readSmallEntry(content, entries, 'mimetype', 200));
      if (format === 'docx' || format === 'pptx' || format === 'xlsx' || format === 'odt')
        return (await import('./read-office.ts')).readOffice(content, format, unpackedBytes);
      throw new ExtractionFailure('unsupported_format');
    }
    case 'encrypted_office':
      throw new ExtractionFailure('password_protected');
    case 'binary':
      throw new ExtractionFailure(binaryExtensions.has(extensionOf(filename)) ? 'corrupt' : 'unsupported_format');
    case 'text':
      break;
  }
  const text = decodeText(content);
  switch (detectTextFormat(text, filename, mediaType)) {
    case 'html':
      return (await import('./read-html.ts')).readHtml(text, unpackedBytes);
    case 'markdown':
      return (await import('./read-markdown.ts')).readMarkdown(text, unpackedBytes);
    case 'csv':
      return readCsv(text);
    default:
      return readText(text);
  }
}

function cleanBlock(block: Block): Block | null {
  if (block.kind === 'row') {
    // A cell of several lines would look like several rows.
    const cells = block.cells.map((cell) => cleanText(cell).replaceAll(/\s*\n\s*/g, ' '));
    return cells.every((cell) => cell === '') ? null : { ...block, cells };
  }
  const text = block.kind === 'heading' ? cleanText(block.text).replaceAll(/\s+/g, ' ') : cleanText(block.text);
  return text === '' ? null : { ...block, text };
}

/** Reads a document in this process. Only the child process of `extractDocument` does this: it may never come back. */
export async function readDocument(source: DocumentSource): Promise<ExtractedDocument> {
  const { title, pages, blocks } = await readBlocks(source);
  const clean = blocks.map(cleanBlock).filter((block) => block !== null);
  if (clean.length === 0) throw new ExtractionFailure('no_text');
  const cleanTitle = cleanText(title ?? '').replaceAll(/\s+/g, ' ');
  return { title: cleanTitle === '' ? null : cleanTitle, pages, blocks: clean };
}
