import { AppError, type CollectionQueryBody, type Principal } from '@lamb/contract';
import { groupByEmbedding, searchCollections, type QueryVector, type SearchHit } from '@lamb/knowledge';
import { findReadableCollections, readTenant, type SearchableCollection } from '@lamb/store';
import type { EmbeddedText } from '../knowledge/create-embedding-cache.ts';
import { loadOrganizationSetup } from '../organization/load-organization-setup.ts';
import type { Services } from '../services.ts';
import { fromRankingResource } from './to-collection-resource.ts';

/** Whose grants a search has, and on whom its vectors are booked. */
export interface Searcher {
  readonly organizationId: string;
  /** Who may read the collections. */
  readonly readerId: string;
  readonly payerId: string;
}

/** What was found, in which collections it was searched, and how long it took. */
export interface FoundPassages {
  readonly hits: readonly SearchHit[];
  /** Those of the named ones that the reader may read. */
  readonly collections: readonly SearchableCollection[];
  /** `embedding`: waiting for the provider; `search`: everything else. */
  readonly milliseconds: { readonly embedding: number; readonly search: number };
}

type Search = Pick<CollectionQueryBody, 'query' | 'top_k' | 'threshold' | 'mode' | 'ranking'>;

type SearchServices = Pick<Services, 'db' | 'secretBox' | 'embedder'>;

/** Searches collections with somebody's grants. The search looks at these once more: making the query's vectors may take long. */
export async function findPassages(
  { db, secretBox, embedder }: SearchServices,
  { organizationId, readerId, payerId }: Searcher,
  ids: readonly number[],
  search: Search,
  signal: AbortSignal,
): Promise<FoundPassages> {
  const startedAt = performance.now();
  const { asked, queries } = await readTenant(db, organizationId, async (tx) => {
    const readable = await findReadableCollections(tx, ids, readerId);
    const groups = search.mode === 'lexical' ? [] : groupByEmbedding(readable);
    if (groups.length === 0) return { asked: readable, queries: [] };
    const setup = await loadOrganizationSetup(tx, secretBox);
    const query = { organizationId, userId: payerId, text: search.query, setup };
    return { asked: readable, queries: groups.map(({ embedding }) => ({ ...query, embedding })) };
  });
  const vectors = await Promise.all(
    queries.map(async (query): Promise<QueryVector & Pick<EmbeddedText, 'providerMs'>> => {
      return { embedding: query.embedding, ...(await embedder.embedQuery(query, signal)) };
    }),
  );
  signal.throwIfAborted();
  const { hits, collections } = await readTenant(db, organizationId, async (tx) => {
    const found = await searchCollections(tx, {
      readerId,
      collections: asked,
      query: search.query,
      vectors,
      mode: search.mode,
      topK: search.top_k,
      threshold: search.threshold,
      ranking: search.ranking && fromRankingResource(search.ranking),
    });
    // Nothing was found, or nothing may be searched any more: only then it takes another look to tell.
    return { hits: found, collections: found.length > 0 ? asked : await findReadableCollections(tx, ids, readerId) };
  });
  // Providers are asked side by side.
  const embedding = Math.max(0, ...vectors.map(({ providerMs }) => providerMs));
  const milliseconds = { embedding, search: performance.now() - startedAt - embedding };
  return { hits, collections, milliseconds };
}

/** The same for a caller of the API, who is told 404 when one of the collections is none of theirs. */
export async function findPassagesFor(
  services: SearchServices,
  { organizationId, userId }: Principal,
  ids: readonly number[],
  search: Search,
  signal: AbortSignal,
): Promise<FoundPassages> {
  const searcher = { organizationId, readerId: userId, payerId: userId };
  const found = await findPassages(services, searcher, ids, search, signal);
  const readable = new Set(found.collections.map(({ id }) => id));
  if (ids.some((id) => !readable.has(id))) throw new AppError('not_found');
  return found;
}
