import { z } from 'zod';
import { PageQuery, pageOf } from './paging.ts';

/** The languages whose words a collection can reduce to their stems; `simple` takes words as they are. */
export const CollectionLanguage = z.enum([
  'simple',
  'english',
  'spanish',
  'catalan',
  'basque',
  'french',
  'german',
  'italian',
  'portuguese',
  'dutch',
]);
export type CollectionLanguage = z.infer<typeof CollectionLanguage>;

/** Which model turns passages into vectors. Without `dimensions` the model is asked once, when the collection is made. */
export const EmbeddingChoice = z
  .object({
    provider: z.string().min(1).max(100),
    model: z.string().min(1).max(200),
    dimensions: z.number().int().min(1).max(4000).optional(),
  })
  .meta({ id: 'EmbeddingChoice' });
export type EmbeddingChoice = z.infer<typeof EmbeddingChoice>;

/** What a collection can be made with. `models` are those that a provider lists for vectors; others can be named, too. */
export const EmbeddingOffers = z
  .object({
    /** What is taken where nothing is chosen; null: the organisation has set up nothing that makes vectors. */
    default: z.object({ provider: z.string(), model: z.string() }).nullable(),
    providers: z.array(
      z.object({
        name: z.string(),
        models: z.array(z.string()),
        /** The host that texts leave for; null where they stay with the organisation. */
        external: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'EmbeddingOffers' });
export type EmbeddingOffers = z.infer<typeof EmbeddingOffers>;

/** How documents are cut into passages, in tokens. */
export const Chunking = z
  .object({
    max_tokens: z.number().int().min(50).max(2000).default(300),
    overlap_tokens: z.number().int().min(0).max(400).default(40),
  })
  .refine(
    ({ max_tokens, overlap_tokens }) => overlap_tokens * 2 <= max_tokens,
    'Passages may overlap by half of their length at most.',
  )
  .meta({ id: 'Chunking' });
export type Chunking = z.infer<typeof Chunking>;

/** How much the words and the meaning count when passages are ranked, and how much the first ranks count more than later ones. */
export const Ranking = z
  .object({
    lexical_weight: z.number().min(0).max(100).default(2),
    dense_weight: z.number().min(0).max(100).default(1),
    rank_constant: z.number().min(1).max(1000).default(10),
  })
  .refine(
    ({ lexical_weight, dense_weight }) => lexical_weight + dense_weight > 0,
    'At least one of the two weights is above 0.',
  )
  .meta({ id: 'Ranking' });
export type Ranking = z.infer<typeof Ranking>;

const Name = z.string().trim().min(1, 'Give the collection a name.').max(200);
const Description = z.string().max(10_000);
const Visibility = z.enum(['private', 'organization']);

/** What a creator sends to make a collection. Without `embedding` the organisation's default is taken. */
export const CollectionBody = z
  .object({
    name: Name,
    description: Description.default(''),
    language: CollectionLanguage.default('simple'),
    visibility: Visibility.default('private'),
    embedding: EmbeddingChoice.optional(),
    chunking: Chunking.prefault({}),
    ranking: Ranking.prefault({}),
  })
  .meta({ id: 'CollectionBody' });
export type CollectionBody = z.infer<typeof CollectionBody>;

/** A change to a collection: what is left out stays. What needs the documents to be read again is changed by `reindex`. */
export const CollectionPatch = z
  .object({
    name: Name.optional(),
    description: Description.optional(),
    visibility: Visibility.optional(),
    ranking: Ranking.optional(),
  })
  .meta({ id: 'CollectionPatch' });
export type CollectionPatch = z.infer<typeof CollectionPatch>;

/** A collection of documents that assistants answer from. */
export const CollectionResource = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string(),
    owner: z.string(),
    /** Whether it is the caller's own; others may search it and read in it only. */
    is_own: z.boolean(),
    visibility: Visibility,
    language: CollectionLanguage,
    embedding: z.object({ provider: z.string(), model: z.string(), dimensions: z.number().int() }),
    chunking: z.object({ max_tokens: z.number().int(), overlap_tokens: z.number().int() }),
    ranking: z.object({ lexical_weight: z.number(), dense_weight: z.number(), rank_constant: z.number() }),
    documents: z.number().int(),
    chunks: z.number().int(),
    bytes: z.number().int(),
    /** `hnsw`: large enough for an approximate index of its own. */
    search: z.enum(['exact', 'hnsw']),
    /** The documents are being cut or embedded anew; searches still see the old state. */
    reindexing: z.boolean(),
    /** How many passages have their new vectors; null where nothing is under way, before it is known, and in lists. */
    reindex_progress: z.object({ done: z.number().int(), total: z.number().int() }).nullable(),
    /** Why the documents could not be cut or embedded anew the last time, in words for its owner. */
    reindex_problem: z.string().nullable(),
    reindex_problem_code: z.string().nullable(),
    /** What its owner should know, such as that texts leave for an external provider. */
    warnings: z.array(z.object({ code: z.enum(['external_provider', 'provider_missing']), message: z.string() })),
    created_at: z.number().int(),
    updated_at: z.number().int(),
  })
  .meta({ id: 'CollectionResource' });
export type CollectionResource = z.infer<typeof CollectionResource>;

/** How a list of collections is asked for. */
export const CollectionListQuery = PageQuery.extend({
  scope: z.enum(['mine', 'shared', 'visible']).default('visible'),
  search: z.string().max(200).optional(),
});

/** A page of collections. */
export const CollectionPage = pageOf(CollectionResource).meta({ id: 'CollectionPage' });
export type CollectionPage = z.infer<typeof CollectionPage>;

/** Where a document is on its way into the collection. */
export const DocumentStatus = z.enum(['queued', 'extracting', 'embedding', 'ready', 'failed', 'cancelled']);
export type DocumentStatus = z.infer<typeof DocumentStatus>;

const settled: ReadonlySet<DocumentStatus> = new Set(['ready', 'failed', 'cancelled']);

/** Whether a document stays as it is until somebody does something with it. */
export function isDocumentSettled(status: DocumentStatus): boolean {
  return settled.has(status);
}

/** A document of a collection, and how far it has come. */
export const DocumentResource = z
  .object({
    id: z.string(),
    collection_id: z.number().int(),
    filename: z.string(),
    title: z.string().nullable(),
    media_type: z.string(),
    size: z.number().int(),
    source_url: z.string().nullable(),
    status: DocumentStatus,
    /** Such as `extracting 3/12 pages` or `embedding 120/800 chunks`; null when nothing is under way. */
    progress: z.object({ done: z.number().int(), total: z.number().int(), text: z.string() }).nullable(),
    /** Why it failed, in words for its owner. */
    problem: z.string().nullable(),
    /** What `problem` says in English, as a code to say it in another language: that of an error, of a file that cannot be read, or `provider_` and why there are no vectors. */
    problem_code: z.string().nullable(),
    /** Null where the format has no pages. */
    pages: z.number().int().nullable(),
    chunks: z.number().int(),
    created_at: z.number().int(),
    updated_at: z.number().int(),
  })
  .meta({ id: 'DocumentResource' });
export type DocumentResource = z.infer<typeof DocumentResource>;

/** A page of documents. */
export const DocumentPage = pageOf(DocumentResource).meta({ id: 'DocumentPage' });
export type DocumentPage = z.infer<typeof DocumentPage>;

/** A document that was added; `duplicate`: the collection had the same content already, and this is that document. */
export const DocumentAdded = z
  .object({ document: DocumentResource, duplicate: z.boolean() })
  .meta({ id: 'DocumentAdded' });
export type DocumentAdded = z.infer<typeof DocumentAdded>;

/** The reply to an upload, one entry for each file, in the order they were sent. */
export const DocumentsAdded = z.object({ items: z.array(DocumentAdded) }).meta({ id: 'DocumentsAdded' });

/** A page of the web to add. */
export const DocumentUrlBody = z
  .object({ url: z.url({ protocol: /^https?$/ }).max(2000) })
  .meta({ id: 'DocumentUrlBody' });

/** A passage as it is searched. */
export const ChunkResource = z
  .object({
    id: z.string(),
    document_id: z.string(),
    ordinal: z.number().int(),
    text: z.string(),
    heading_path: z.array(z.string()),
    page_from: z.number().int().nullable(),
    page_to: z.number().int().nullable(),
    tokens: z.number().int(),
    /** Where it is in the document's text; the address of the passage is made of these, and outlives re-chunking. */
    start: z.number().int(),
    end: z.number().int(),
  })
  .meta({ id: 'ChunkResource' });
export type ChunkResource = z.infer<typeof ChunkResource>;

/** A page of passages, in the document's order. */
export const ChunkPage = pageOf(ChunkResource).meta({ id: 'ChunkPage' });

/** A stretch of a document's text. Who got the link from a citation may read this stretch, and its `signature` says so. */
export const PassageQuery = z.object({
  start: z.coerce.number().int().min(0).max(2_000_000_000),
  end: z.coerce.number().int().min(0).max(2_000_000_000),
  signature: z.string().max(100).optional(),
});

/** A passage with a little of what stands around it, as a citation opens it. */
export const Passage = z
  .object({
    document: DocumentResource,
    before: z.string(),
    text: z.string(),
    after: z.string(),
    heading_path: z.array(z.string()),
    page: z.number().int().nullable(),
  })
  .meta({ id: 'Passage' });
export type Passage = z.infer<typeof Passage>;

/** Reads all documents of a collection anew; nothing is uploaded again, and searches see the old state until it is done. */
export const ReindexBody = z
  .object({
    language: CollectionLanguage.optional(),
    chunking: Chunking.optional(),
    embedding: EmbeddingChoice.optional(),
  })
  .meta({ id: 'ReindexBody' });
export type ReindexBody = z.infer<typeof ReindexBody>;

/** What is searched for, and how. Weights left out are the collection's own. */
export const CollectionQueryBody = z
  .object({
    query: z.string().trim().min(1).max(10_000),
    top_k: z.number().int().min(1).max(100).default(5),
    /** Passages less similar to the query than this are left out; words alone do not make up for it. */
    threshold: z.number().min(0).max(1).default(0),
    mode: z.enum(['hybrid', 'lexical', 'vector']).default('hybrid'),
    ranking: Ranking.optional(),
  })
  .meta({ id: 'CollectionQueryBody' });
export type CollectionQueryBody = z.infer<typeof CollectionQueryBody>;

/** The same search in several collections. */
export const CollectionsQueryBody = CollectionQueryBody.extend({
  collections: z.array(z.number().int()).min(1).max(50),
}).meta({ id: 'CollectionsQueryBody' });

/** A passage that was found, and why it ranked where it did. */
export const CollectionHit = z
  .object({
    collection_id: z.number().int(),
    document_id: z.string(),
    chunk_id: z.string(),
    filename: z.string(),
    title: z.string().nullable(),
    text: z.string(),
    heading_path: z.array(z.string()),
    page_from: z.number().int().nullable(),
    page_to: z.number().int().nullable(),
    /** The address of the passage on this server; it outlives re-chunking. */
    url: z.string(),
    source_url: z.string().nullable(),
    score: z.number(),
    /** Cosine of the query's and the passage's vector, from 0 to 1; null where only words were compared. */
    similarity: z.number().nullable(),
    lexical_rank: z.number().int().nullable(),
    lexical_score: z.number().nullable(),
    dense_rank: z.number().int().nullable(),
  })
  .meta({ id: 'CollectionHit' });
export type CollectionHit = z.infer<typeof CollectionHit>;

/** The reply to a search. */
export const CollectionQueryReply = z
  .object({
    hits: z.array(CollectionHit),
    /** `embedding`: waiting for the provider of the query's vector; `search`: everything else. */
    milliseconds: z.object({ embedding: z.number(), search: z.number() }),
  })
  .meta({ id: 'CollectionQueryReply' });
export type CollectionQueryReply = z.infer<typeof CollectionQueryReply>;
