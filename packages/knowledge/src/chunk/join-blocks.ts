import type { Block, ExtractedDocument } from '../extract/extracted-document.ts';

/** The text of one block. */
export function blockText(block: Block): string {
  return block.kind === 'row' ? block.cells.join(' | ') : block.text;
}

/** What stands between two blocks. */
export function separatorOf(block: Block, next: Block): string {
  return block.kind === 'row' && next.kind === 'row' && next.header !== true ? '\n' : '\n\n';
}

/**
 * The document's whole text. Offsets of chunks are counted in it, in the units of JavaScript strings, so it must be
 * stored as it is: an address made of offsets stays right for as long as this text does.
 */
export function joinBlocks({ blocks }: Pick<ExtractedDocument, 'blocks'>): string {
  return blocks
    .map((block, index) => {
      const next = blocks[index + 1];
      return next === undefined ? blockText(block) : blockText(block) + separatorOf(block, next);
    })
    .join('');
}
