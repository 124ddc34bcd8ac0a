import type { CollectionQueryReply } from '@lamb/contract';
import type { FoundPassages } from './find-passages.ts';
import { linkPassage } from './link-passage.ts';

/** What was found, as the API shows it to who may read the collections. */
export function toQueryReply({ hits, milliseconds }: FoundPassages, organizationId: string): CollectionQueryReply {
  return {
    hits: hits.map((hit) => ({
      collection_id: hit.collectionId,
      document_id: hit.documentId,
      chunk_id: String(hit.chunkId),
      filename: hit.filename,
      title: hit.title,
      text: hit.text,
      heading_path: hit.headingPath,
      page_from: hit.pageFrom,
      page_to: hit.pageTo,
      url: linkPassage({ organizationId, ...hit }),
      source_url: hit.sourceUrl,
      score: hit.score,
      similarity: hit.similarity,
      lexical_rank: hit.lexicalRank,
      lexical_score: hit.lexicalScore,
      dense_rank: hit.denseRank,
    })),
    milliseconds,
  };
}
