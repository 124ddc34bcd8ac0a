export { EmbeddingFailure, type EmbeddingFailureReason } from './embed/embedding-failure.ts';
export type { BatchLimits } from './embed/plan-batches.ts';
export {
  requestEmbeddings,
  type EmbeddingFetch,
  type EmbeddingProvider,
  type EmbeddingRequest,
  type Embeddings,
} from './embed/request-embeddings.ts';
export { extractDocument, type ExtractionRequest } from './extract/extract-document.ts';
export type { Block, ExtractedDocument } from './extract/extracted-document.ts';
export { ExtractionFailure, type ExtractionFailureCode } from './extract/extraction-failure.ts';
export type { ExtractionLimits } from './extract/extraction-limits.ts';
export { indexText } from './chunk/index-text.ts';
export { joinBlocks } from './chunk/join-blocks.ts';
// Not `splitBlocks`: whoever imports it loads the tokenizer's tables. `createSplitter` cuts in a process of its own.
export type { Chunk, ChunkLimits } from './chunk/split-blocks.ts';
export { changeDocument, toCollectionTopic } from './ingest/change-document.ts';
export { createSplitter, type Splitter } from './ingest/create-splitter.ts';
export { failDocument, ingestDocument } from './ingest/ingest-document.ts';
export type { IngestAttempt, IngestBatch, IngestPorts } from './ingest/ingest-ports.ts';
export { endReindexing, reindexCollection } from './ingest/reindex-collection.ts';
export { groupByEmbedding, type EmbeddingGroup } from './retrieve/group-by-embedding.ts';
export { searchCollections, type CollectionSearch, type QueryVector } from './retrieve/search-collections.ts';
export type { SearchHit } from './retrieve/search-hit.ts';
