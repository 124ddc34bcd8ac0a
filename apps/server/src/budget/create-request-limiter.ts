/** Limits how often something may happen in a minute. */
export interface RequestLimiter {
  /** Takes one; or says in how many seconds there will be one to take. */
  take(key: string, perMinute: number): number | undefined;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Makes a request limiter: a bucket for each key that holds a minute's worth and fills steadily. It is this process's
 * own: of several processes, each allows the whole limit.
 */
export function createRequestLimiter({ now = () => performance.now(), maxKeys = 100_000 } = {}): RequestLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(key, perMinute) {
      const at = now();
      const perMs = perMinute / 60_000;
      const bucket = buckets.get(key);
      const tokens = bucket ? Math.min(perMinute, bucket.tokens + (at - bucket.at) * perMs) : perMinute;
      // A key that comes again is young again: whoever must go is the one that was away longest, and full by now.
      buckets.delete(key);
      if (buckets.size >= maxKeys) buckets.delete(buckets.keys().next().value ?? key);
      buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, at });
      return tokens < 1 ? Math.ceil((1 - tokens) / perMs / 1000) : undefined;
    },
  };
}
