import type { ChunkResource, DocumentResource } from '@lamb/contract';
import type { StoredChunk, StoredDocument } from '@lamb/store';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';

/** A document as the API shows it. */
export function toDocumentResource(document: StoredDocument): DocumentResource {
  return {
    id: document.id,
    collection_id: document.collectionId,
    filename: document.filename,
    title: document.title,
    media_type: document.mediaType,
    size: document.size,
    source_url: document.sourceUrl,
    status: document.status,
    progress: document.progress,
    problem: document.problem,
    problem_code: document.problemCode,
    pages: document.pages,
    chunks: document.chunks,
    created_at: toUnixSeconds(document.createdAt),
    updated_at: toUnixSeconds(document.updatedAt),
  };
}

/** A passage as the API shows it. */
export function toChunkResource(chunk: StoredChunk): ChunkResource {
  return {
    id: String(chunk.id),
    document_id: chunk.documentId,
    ordinal: chunk.ordinal,
    text: chunk.content,
    heading_path: chunk.headingPath,
    page_from: chunk.pageFrom,
    page_to: chunk.pageTo,
    tokens: chunk.tokens,
    start: chunk.start,
    end: chunk.end,
  };
}
