import { createHash } from 'node:crypto';

/** What a vector is remembered by. */
export interface CachedText {
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  readonly text: string;
}

/** The vector of a text, and how long its provider took to make it. */
export interface EmbeddedText {
  readonly vector: Float32Array;
  readonly providerMs: number;
}

/** Remembers the vectors of queries for a short while: the same question is asked of several collections, and by many at once. */
export interface EmbeddingCache {
  /** The vector of a text, made only where nobody has, or is about to, and then without a time. What failed is made again. */
  find(text: CachedText, make: () => Promise<EmbeddedText>): Promise<EmbeddedText>;
}

interface Remembered {
  readonly embedded: Promise<EmbeddedText>;
  readonly until: number;
}

export function createEmbeddingCache({
  ttlMs = 60_000,
  maxTexts = 1000,
  now = () => performance.now(),
} = {}): EmbeddingCache {
  const known = new Map<string, Remembered>();
  return {
    async find({ organizationId, provider, model, dimensions, text }, make) {
      const key = createHash('sha256')
        .update(JSON.stringify([organizationId, provider, model, dimensions, text]))
        .digest('base64');
      const remembered = known.get(key);
      if (remembered && remembered.until > now()) return { ...(await remembered.embedded), providerMs: 0 };
      const embedded = make();
      known.delete(key);
      if (known.size >= maxTexts) known.delete(known.keys().next().value ?? key);
      known.set(key, { embedded, until: now() + ttlMs });
      embedded.catch(() => {
        if (known.get(key)?.embedded === embedded) known.delete(key);
      });
      return await embedded;
    },
  };
}
