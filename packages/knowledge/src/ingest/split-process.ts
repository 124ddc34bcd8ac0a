/** The child process of `createSplitter`: cuts documents one after the other, as it is told. */
import type { ExtractedDocument } from '../extract/extracted-document.ts';
import { splitBlocks, type Chunk, type ChunkLimits } from '../chunk/split-blocks.ts';

/** What this process is told. */
export interface SplitOrder {
  readonly document: ExtractedDocument;
  readonly limits: ChunkLimits;
}

/** What this process tells. */
export interface SplitReply {
  readonly chunks: Chunk[];
}

process.on('message', ({ document, limits }: SplitOrder) => {
  const reply: SplitReply = { chunks: splitBlocks(document, limits) };
  process.send?.(reply);
});
