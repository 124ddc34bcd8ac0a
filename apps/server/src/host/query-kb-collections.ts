import { ToolFailure, type KnowledgeAnswer } from '@lamb/plugin-kit';
import { queryKbServer } from './query-kb-server.ts';

type CollectionsQuery = Omit<Parameters<typeof queryKbServer>[0], 'collection'> & {
  readonly collections: readonly string[];
};

/** Searches several collections of a knowledge-base server at once. The server searches one at a time, so their passages are merged by rank: how it orders those of a collection is its own business. */
export async function queryKbCollections({ collections, ...query }: CollectionsQuery): Promise<KnowledgeAnswer> {
  const outcomes = await Promise.all(
    collections.map(async (collection) => {
      try {
        return { collection, hits: await queryKbServer({ ...query, collection }) };
      } catch (cause) {
        query.signal.throwIfAborted();
        // Only a `ToolFailure` carries a message that is safe to show.
        const message = cause instanceof ToolFailure ? cause.message : `Collection ${collection} could not be queried.`;
        return { collection, hits: [], message };
      }
    }),
  );
  const ranked = outcomes.flatMap(({ hits }) => hits.map((hit, rank) => ({ hit, rank })));
  return {
    hits: ranked
      .toSorted((a, b) => a.rank - b.rank || (b.hit.similarity ?? 0) - (a.hit.similarity ?? 0))
      .map(({ hit }) => hit),
    problems: outcomes.flatMap(({ collection, message }) => (message === undefined ? [] : { collection, message })),
  };
}
