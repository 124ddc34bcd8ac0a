import type { FoundApiKey } from '@lamb/store';

type FoundKey = FoundApiKey | undefined;

/** Remembers API keys for a moment, so that a busy key is not looked up for every request. */
export interface KeyCache {
  find(digest: string, load: () => Promise<FoundKey>): Promise<FoundKey>;
  /** To be called with what a revocation returned. */
  forget(digest: string): void;
  /** To be called when what somebody may do has changed. */
  forgetHolder(userId: string): void;
}

/** Makes a key cache. A revocation on another process takes effect after `ttlMs` at the latest; unknown keys are not remembered. */
export function createKeyCache({ ttlMs = 1000, maxKeys = 10_000 } = {}): KeyCache {
  const known = new Map<string, { found: FoundKey; until: number }>();
  let revocations = 0;
  return {
    async find(digest, load) {
      const remembered = known.get(digest);
      if (remembered && remembered.until > performance.now()) return remembered.found;
      const revocationsBefore = revocations;
      const found = await load();
      known.delete(digest);
      if (!found) return undefined;
      // What was read before a revocation may be what was revoked: it counts for this request, not for the next.
      if (revocations !== revocationsBefore) return found;
      if (known.size >= maxKeys) known.delete(known.keys().next().value ?? digest);
      known.set(digest, { found, until: performance.now() + ttlMs });
      return found;
    },
    forget(digest) {
      revocations += 1;
      known.delete(digest);
    },
    forgetHolder(userId) {
      revocations += 1;
      for (const [digest, { found }] of known) {
        if (found?.key.userId === userId) known.delete(digest);
      }
    },
  };
}
