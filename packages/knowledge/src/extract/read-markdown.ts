import type { ExtractedDocument } from './extracted-document.ts';
import { parseOffice, readNodes } from './read-office.ts';

/** Reads Markdown. */
export async function readMarkdown(text: string, unpackedBytes: number): Promise<ExtractedDocument> {
  const ast = await parseOffice(Buffer.from(text), 'md', unpackedBytes);
  return { title: ast.metadata.title ?? null, pages: null, blocks: [...readNodes(ast.content)] };
}
