import { CollectionLanguage, type CollectionResource, type Principal } from '@lamb/contract';
import type { Collection, CollectionRanking } from '@lamb/store';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';

/** A collection as its reader sees it; what is to be warned of is for its owner. */
export function toCollectionResource(
  collection: Collection,
  { userId }: Principal,
  warnings: CollectionResource['warnings'],
): CollectionResource {
  const { ranking, chunking } = collection;
  const isOwn = collection.ownerId === userId;
  return {
    id: collection.id,
    name: collection.name,
    description: collection.description,
    owner: collection.ownerEmail,
    is_own: isOwn,
    visibility: collection.visibility,
    language: CollectionLanguage.catch('simple').parse(collection.language),
    embedding: collection.embedding,
    chunking: { max_tokens: chunking.maxTokens, overlap_tokens: chunking.overlapTokens },
    ranking: toRankingResource(ranking),
    documents: collection.documents,
    chunks: collection.chunks,
    bytes: collection.bytes,
    search: collection.hasVectorIndex ? 'hnsw' : 'exact',
    reindexing: collection.reindexJobId !== null,
    reindex_progress: null,
    reindex_problem: isOwn ? collection.reindexProblem : null,
    reindex_problem_code: isOwn ? collection.reindexProblemCode : null,
    warnings: isOwn ? warnings : [],
    created_at: toUnixSeconds(collection.createdAt),
    updated_at: toUnixSeconds(collection.updatedAt),
  };
}

function toRankingResource({ lexicalWeight, denseWeight, rankConstant }: CollectionRanking) {
  return { lexical_weight: lexicalWeight, dense_weight: denseWeight, rank_constant: rankConstant };
}

/** The weights as the store keeps them. */
export function fromRankingResource(ranking: CollectionResource['ranking']): CollectionRanking {
  return {
    lexicalWeight: ranking.lexical_weight,
    denseWeight: ranking.dense_weight,
    rankConstant: ranking.rank_constant,
  };
}
