import type { Collection, CollectionEmbedding } from '@lamb/store';

/** Collections whose passages were turned into vectors by the same model: one vector of the query serves them all. */
export interface EmbeddingGroup<Member extends Pick<Collection, 'embedding'> = Collection> {
  embedding: CollectionEmbedding;
  collections: Member[];
}

/** Which vectors of a query are needed to search these collections. */
export function groupByEmbedding<Member extends Pick<Collection, 'embedding'>>(
  collections: readonly Member[],
): EmbeddingGroup<Member>[] {
  const groups: EmbeddingGroup<Member>[] = [];
  for (const collection of collections) {
    const group = groups.find(({ embedding }) => isSameEmbedding(embedding, collection.embedding));
    if (group === undefined) groups.push({ embedding: collection.embedding, collections: [collection] });
    else group.collections.push(collection);
  }
  return groups;
}

/** Vectors of the two can be compared. */
export function isSameEmbedding(one: CollectionEmbedding, other: CollectionEmbedding): boolean {
  return one.provider === other.provider && one.model === other.model && one.dimensions === other.dimensions;
}
