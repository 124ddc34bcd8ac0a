import { createHash } from 'node:crypto';

/** What a vector is remembered by. */
export interface CachedText {
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  readonly text: string;
}

/** Remembers the vectors of queries for a short while: the same question is asked of several collections, and by many at once. */
export interface EmbeddingCache {
  /** The vector of a text, made only where nobody has, or is about to. What failed is made again. */
  find(text: CachedText, make: () => Promise<Float32Array>): Promise<Float32Array>;
}

interface Remembered {
  readonly vector: Promise<Float32Array>;
  readonly until: number;
}

export function createEmbeddingCache({
  ttlMs = 60_000,
  maxTexts = 1000,
  now = () => performance.now(),
} = {}): EmbeddingCache {
  const known = new Map<string, Remembered>();
  return {
    find({ organizationId, provider, model, dimensions, text }, make) {
      const key = createHash('sha256')
        .update(JSON.stringify([organizationId, provider, model, dimensions, text]))
        .digest('base64');
      const remembered = known.get(key);
      if (remembered && remembered.until > now()) return remembered.vector;
      const vector = make();
      known.delete(key);
      if (known.size >= maxTexts) known.delete(known.keys().next().value ?? key);
      known.set(key, { vector, until: now() + ttlMs });
      vector.catch(() => {
        if (known.get(key)?.vector === vector) known.delete(key);
      });
      return vector;
    },
  };
}
