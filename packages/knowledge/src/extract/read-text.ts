import type { ExtractedDocument } from './extracted-document.ts';

/** Reads plain text: an empty line ends a paragraph. */
export function readText(text: string): ExtractedDocument {
  const paragraphs = text.replaceAll(/\r\n?/g, '\n').split(/\n[ \t]*\n/);
  return { title: null, pages: null, blocks: paragraphs.map((paragraph) => ({ kind: 'paragraph', text: paragraph })) };
}
