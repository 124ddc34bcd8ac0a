import { z } from 'zod';

const Count = z.number().int();
const NullableText = z.string().nullable();

/** Which model an older LAMB asks for; `default` and what is left out is the organisation's choice. Addresses and keys it sends are not used. */
const EmbeddingsModel = z.looseObject({
  vendor: z.string().max(100).optional(),
  model: z.string().max(200).optional(),
});

/** What an older LAMB sends to make a collection. Its owner is the holder of the key, whatever the body says. */
export const KbCollectionBody = z
  .looseObject({
    name: z.string().trim().min(1).max(200),
    description: z.string().max(10_000).nullish(),
    visibility: z.enum(['private', 'public']).nullish(),
    embeddings_model: EmbeddingsModel.nullish(),
  })
  .meta({ id: 'KbCollectionBody' });
export type KbCollectionBody = z.infer<typeof KbCollectionBody>;

/** A collection as an older LAMB knows it. */
export const KbCollection = z
  .object({
    id: Count,
    name: z.string(),
    description: z.string(),
    owner: z.string(),
    visibility: z.enum(['private', 'public']),
    creation_date: z.string(),
    embeddings_model: z.object({ vendor: z.string(), model: z.string() }),
    document_count: Count,
  })
  .meta({ id: 'KbCollection' });
export type KbCollection = z.infer<typeof KbCollection>;

/** How an older LAMB asks for a list. */
export const KbListQuery = z.object({
  skip: z.coerce.number().int().min(0).max(100_000).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

/** Collections, and how many there are in all. */
export const KbCollectionList = z
  .object({ total: Count, items: z.array(KbCollection) })
  .meta({ id: 'KbCollectionList' });

/** The reply to the deletion of a collection. */
export const KbCollectionDeleted = z
  .object({ id: Count, name: z.string(), status: z.literal('deleted') })
  .meta({ id: 'KbCollectionDeleted' });

/** What is searched for. Only `simple_query` is known, and it takes no further parameters. */
export const KbQueryBody = z
  .looseObject({
    query_text: z.string().trim().min(1).max(10_000),
    top_k: z.number().int().min(1).max(100).default(5),
    threshold: z.number().min(0).max(1).default(0),
    plugin_params: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'KbQueryBody' });

/** The name of a plugin, where an older server has several. */
export const KbPluginQuery = z.object({ plugin_name: z.string().max(100).default('simple_query') });

/** A passage that was found, with what a citation needs. */
export const KbHit = z
  .object({
    similarity: z.number(),
    data: z.string(),
    metadata: z.object({
      filename: z.string(),
      file_url: z.string(),
      source_url: z.string().optional(),
      page: Count.optional(),
      chunk_index: Count,
      heading_path: z.array(z.string()).optional(),
    }),
  })
  .meta({ id: 'KbHit' });
export type KbHit = z.infer<typeof KbHit>;

/** The reply to a search; older servers call the hits `documents`. */
export const KbQueryReply = z
  .object({
    results: z.array(KbHit),
    count: Count,
    timing: z.object({ total_seconds: z.number(), total_ms: z.number() }),
    query: z.string(),
    embedding_info: z.object({ vendor: z.string(), model: z.string() }),
  })
  .meta({ id: 'KbQueryReply' });

/** Texts to add as they are; of the metadata, `filename` and `source_url` are kept for citations. */
export const KbDocumentsBody = z
  .looseObject({
    documents: z
      .array(
        z.looseObject({
          text: z.string().min(1).max(2_000_000),
          metadata: z.record(z.string(), z.unknown()).nullish(),
        }),
      )
      .min(1)
      .max(500),
  })
  .meta({ id: 'KbDocumentsBody' });

/** Pages of the web to add. */
export const KbUrlsBody = z
  .looseObject({
    urls: z
      .array(z.url({ protocol: /^https?$/ }).max(2000))
      .min(1)
      .max(50),
    plugin_name: z.string().max(100).nullish(),
    plugin_params: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'KbUrlsBody' });

/** Where a file is on its way, in an older LAMB's words. */
export const KbStatus = z.enum(['pending', 'processing', 'completed', 'failed', 'cancelled']);
export type KbStatus = z.infer<typeof KbStatus>;

/** The reply to something that was added; its job has the number `file_registry_id`. */
export const KbAdded = z
  .object({
    collection_id: Count,
    collection_name: z.string(),
    documents_added: Count,
    success: z.literal(true),
    file_registry_id: Count,
    /** All of them, where several were added. */
    file_registry_ids: z.array(Count),
    file_url: z.string(),
    original_filename: z.string(),
    plugin_name: z.string(),
    status: KbStatus,
  })
  .meta({ id: 'KbAdded' });
export type KbAdded = z.infer<typeof KbAdded>;

/** A file of a collection. */
export const KbFile = z
  .object({
    id: Count,
    collection_id: Count,
    original_filename: z.string(),
    file_url: z.string(),
    source_url: NullableText,
    file_size: Count,
    content_type: z.string(),
    plugin_name: z.string(),
    status: KbStatus,
    document_count: Count,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'KbFile' });
export type KbFile = z.infer<typeof KbFile>;

/** The files of a collection; `status` keeps those on this part of their way. */
export const KbFilesQuery = z.object({ status: KbStatus.optional() });

/** The text of a file. */
export const KbFileContent = z
  .object({
    file_id: Count,
    original_filename: z.string(),
    content: z.string(),
    content_type: z.string(),
    chunk_count: Count,
    timestamp: z.string(),
  })
  .meta({ id: 'KbFileContent' });

/** A file on its way into a collection. */
export const KbJob = z
  .object({
    id: Count,
    collection_id: Count,
    original_filename: z.string(),
    status: KbStatus,
    progress: z.object({ current: Count, total: Count, percentage: z.number(), message: z.string() }),
    document_count: Count,
    error_message: NullableText,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'KbJob' });
export type KbJob = z.infer<typeof KbJob>;

/** Jobs, and how many there are in all. */
export const KbJobList = z.object({ total: Count, items: z.array(KbJob) }).meta({ id: 'KbJobList' });
