import { AppError } from '@lamb/contract';
import { ToolFailure, type KnowledgeAnswer, type KnowledgeHit, type ToolHost } from '@lamb/plugin-kit';
import type { SearchHit } from '@lamb/knowledge';
import { CollectionId } from '../collections/collection-params.ts';
import { findPassages, type Searcher } from '../collections/find-passages.ts';
import { linkCitedPassage } from '../collections/link-passage.ts';
import type { Config } from '../config.ts';
import type { Services } from '../services.ts';

type Question = Parameters<ToolHost['knowledge']['query']>[0];

const MOST_HITS = 100;

/** Searches the organisation's own collections with the grants that the assistant's owner has at this moment. */
export async function queryOwnCollections(
  services: Pick<Services, 'db' | 'secretBox' | 'embedder' | 'config'>,
  searcher: Searcher,
  { collections: named, query, topK, threshold }: Question,
  signal: AbortSignal,
): Promise<KnowledgeAnswer> {
  const ids = new Map(named.flatMap((name) => pairId(name)));
  // A passage that is among the best of its own collection may be beyond the best of all.
  const top_k = Math.min(MOST_HITS, topK * Math.max(1, ids.size));
  const search = { query, top_k, threshold, mode: 'hybrid' as const };
  const found = await findPassages(services, searcher, [...ids.values()], search, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    if (!(cause instanceof AppError) || cause.code === 'internal_error') throw cause;
    throw new ToolFailure(`The knowledge base could not be searched: ${cause.message}`, { cause });
  });
  const readable = new Set(found.collections.map(({ id }) => id));
  return {
    hits: takeOfEach(found.hits, topK).map((hit) => toKnowledgeHit(hit, searcher, services.config)),
    problems: named
      .filter((name) => !readable.has(ids.get(name) ?? 0))
      .map((collection) => ({
        collection,
        message: `There is no collection ${collection} that the owner of the assistant may search.`,
      })),
  };
}

function pairId(name: string): [string, number][] {
  const parsed = CollectionId.safeParse(name);
  return parsed.success ? [[name, parsed.data]] : [];
}

function takeOfEach(hits: readonly SearchHit[], most: number): SearchHit[] {
  const taken = new Map<number, number>();
  return hits.filter(({ collectionId }) => {
    const count = (taken.get(collectionId) ?? 0) + 1;
    taken.set(collectionId, count);
    return count <= most;
  });
}

function toKnowledgeHit(
  hit: SearchHit,
  { organizationId }: Searcher,
  config: Pick<Config, 'authSecret'>,
): KnowledgeHit {
  const { pageFrom, pageTo, similarity, headingPath } = hit;
  return {
    collection: String(hit.collectionId),
    documentId: hit.documentId,
    text: hit.text,
    title: hit.title ?? hit.filename,
    url: linkCitedPassage(config, { organizationId, ...hit }),
    ...(similarity === null ? {} : { similarity }),
    ...(headingPath.length === 0 ? {} : { headingPath }),
    ...(pageFrom === null ? {} : { page: pageFrom }),
    ...(pageTo === null || pageTo === pageFrom ? {} : { pageTo }),
  };
}
