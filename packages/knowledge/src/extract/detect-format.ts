import type { ArchiveEntry } from './list-archive.ts';

export type DocumentFormat = 'pdf' | 'docx' | 'pptx' | 'xlsx' | 'odt' | 'html' | 'markdown' | 'csv' | 'text';

/** For people: the formats by the names they know. */
export const supportedFormats =
  'PDF, Word (DOCX), PowerPoint (PPTX), Excel (XLSX), OpenDocument text (ODT), web pages (HTML), Markdown, plain text and CSV';

/** What the first bytes say; `binary` is everything nobody reads here. */
export type ContentKind = 'pdf' | 'archive' | 'encrypted_office' | 'binary' | 'text';

const startsWith = (content: Uint8Array, bytes: number[]) => bytes.every((byte, index) => content[index] === byte);

/** Tells from the bytes alone what a file can be. */
export function detectContentKind(content: Uint8Array): ContentKind {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 8192));
  // Readers accept a PDF that begins within the first kilobyte.
  if (head.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  if (startsWith(content, [0x50, 0x4b, 0x03, 0x04]) || startsWith(content, [0x50, 0x4b, 0x05, 0x06])) return 'archive';
  if (startsWith(content, [0xd0, 0xcf, 0x11, 0xe0])) {
    const whole = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    return whole.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted_office' : 'binary';
  }
  if (startsWith(content, [0xff, 0xfe]) || startsWith(content, [0xfe, 0xff])) return 'text';
  if (head.includes(0) || head.subarray(0, 5).equals(Buffer.from('{\\rtf'))) return 'binary';
  return 'text';
}

/** Which office format an archive is, by what it holds. */
export function detectOfficeFormat(entries: ArchiveEntry[], mimetype: string | null): DocumentFormat | null {
  if (mimetype?.startsWith('application/vnd.oasis.opendocument.text') === true) return 'odt';
  const names = new Set(entries.map(({ name }) => name));
  if (!names.has('[Content_Types].xml')) return null;
  if (names.has('word/document.xml')) return 'docx';
  if (names.has('ppt/presentation.xml')) return 'pptx';
  if (names.has('xl/workbook.xml')) return 'xlsx';
  return null;
}

const byExtension: Readonly<Record<string, DocumentFormat>> = {
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  md: 'markdown',
  markdown: 'markdown',
  csv: 'csv',
  tsv: 'csv',
};
const byMediaType: Readonly<Record<string, DocumentFormat>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'markdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
};

export function extensionOf(filename: string): string {
  return /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
}

/** Which kind of text a text is. The media type is what a client said, so it only decides what nothing else does. */
export function detectTextFormat(text: string, filename: string, mediaType: string): DocumentFormat {
  if (/^\s*(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)*(<!doctype html|<html[\s>])/i.test(text.slice(0, 2048))) return 'html';
  const extension = extensionOf(filename);
  if (extension === 'txt') return 'text';
  return byExtension[extension] ?? byMediaType[mediaType.split(';')[0]?.trim().toLowerCase() ?? ''] ?? 'text';
}
