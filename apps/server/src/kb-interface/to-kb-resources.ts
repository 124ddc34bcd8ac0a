import type { KbAdded, KbCollection, KbFile, KbHit, KbJob, KbStatus } from '@lamb/contract';
import type { SearchHit } from '@lamb/knowledge';
import type { Collection, StoredDocument, StoredDocumentStatus } from '@lamb/store';
import { linkCitedPassage } from '../collections/link-passage.ts';
import type { Config } from '../config.ts';

const statuses: Record<StoredDocumentStatus, KbStatus> = {
  queued: 'pending',
  extracting: 'processing',
  embedding: 'processing',
  ready: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** The older server has no other way to read a file in. */
const PLUGIN = 'simple_ingest';

/** A collection in the words of the older knowledge-base server. */
export function toKbCollection(collection: Collection): KbCollection {
  return {
    id: collection.id,
    name: collection.name,
    description: collection.description,
    owner: collection.ownerEmail,
    visibility: collection.visibility === 'organization' ? 'public' : 'private',
    creation_date: collection.createdAt.toISOString(),
    embeddings_model: { vendor: collection.embedding.provider, model: collection.embedding.model },
    document_count: collection.chunks,
  };
}

/** A document as the older server's file. */
export function toKbFile(document: StoredDocument, config: Pick<Config, 'publicUrl'>): KbFile {
  return {
    id: document.number,
    collection_id: document.collectionId,
    original_filename: document.filename,
    file_url: linkFile(document, config),
    source_url: document.sourceUrl,
    file_size: document.size,
    content_type: document.mediaType,
    plugin_name: PLUGIN,
    status: toKbStatus(document),
    document_count: document.chunks,
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
  };
}

/** A document's way into the collection as the older server's job. */
export function toKbJob(document: StoredDocument): KbJob {
  const status = toKbStatus(document);
  const { done, total, text } = document.progress ?? { done: 0, total: 0, text: document.status };
  const percentage = status === 'completed' ? 100 : total === 0 ? 0 : Math.floor((100 * done) / total);
  return {
    id: document.number,
    collection_id: document.collectionId,
    original_filename: document.filename,
    status,
    progress: { current: done, total, percentage, message: text },
    document_count: document.chunks,
    error_message: document.problem,
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
  };
}

/** The reply to documents that were added. */
export function toKbAdded(
  collection: Collection,
  [first, ...rest]: readonly [StoredDocument, ...StoredDocument[]],
  config: Pick<Config, 'publicUrl'>,
  { plugin = PLUGIN, counted = 0 } = {},
): KbAdded {
  return {
    collection_id: collection.id,
    collection_name: collection.name,
    documents_added: counted,
    success: true,
    file_registry_id: first.number,
    file_registry_ids: [first, ...rest].map(({ number }) => number),
    file_url: linkFile(first, config),
    original_filename: first.filename,
    plugin_name: plugin,
    status: toKbStatus(first),
  };
}

/** A passage that was found. Its link is signed: an older LAMB shows it to the people who ask, not to the holder of the key. */
export function toKbHit(
  hit: SearchHit,
  organizationId: string,
  config: Pick<Config, 'publicUrl' | 'authSecret'>,
): KbHit {
  return {
    similarity: hit.similarity ?? 0,
    data: hit.text,
    metadata: {
      filename: hit.filename,
      file_url: new URL(linkCitedPassage(config, { organizationId, ...hit }), config.publicUrl).href,
      chunk_index: hit.ordinal,
      ...(hit.sourceUrl === null ? {} : { source_url: hit.sourceUrl }),
      ...(hit.pageFrom === null ? {} : { page: hit.pageFrom }),
      ...(hit.headingPath.length === 0 ? {} : { heading_path: hit.headingPath }),
    },
  };
}

function toKbStatus({ status }: StoredDocument): KbStatus {
  return statuses[status];
}

function linkFile({ number }: StoredDocument, { publicUrl }: Pick<Config, 'publicUrl'>): string {
  return new URL(`/files/${String(number)}/content`, publicUrl).href;
}
