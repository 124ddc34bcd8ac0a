import { readArray, readObject, readString } from '../http/read-json.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** How often each text was embedded, as a provider would bill it. */
export interface EmbeddingCounter {
  /** Counts the texts of a request that is about to be answered; one whose `Idempotency-Key` is known counts once. */
  count(request: RecordedRequest): void;
  readonly times: ReadonlyMap<string, number>;
  reset(): void;
}

export function createEmbeddingCounter(): EmbeddingCounter {
  const times = new Map<string, number>();
  const keys = new Set<string>();
  return {
    times,
    count({ headers, body }) {
      const key = readString(headers['idempotency-key']);
      if (key !== undefined) {
        if (keys.has(key)) return;
        keys.add(key);
      }
      const { input } = readObject(body);
      for (const text of typeof input === 'string' ? [input] : readArray(input).map(String)) {
        times.set(text, (times.get(text) ?? 0) + 1);
      }
    },
    reset() {
      times.clear();
      keys.clear();
    },
  };
}
