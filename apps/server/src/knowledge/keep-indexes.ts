import { keepVectorIndexes } from '@lamb/store';
import type { Services } from '../services.ts';

const EVERY_MS = 60_000;

/** Builds vector indexes for collections that have become large, and drops those of collections that are gone. Returns how to stop. */
export function keepIndexes({ db, log }: Pick<Services, 'db' | 'log'>, { everyMs = EVERY_MS } = {}): () => void {
  let isAtWork = false;
  const keep = async (): Promise<void> => {
    // Building one may take longer than the pause.
    if (isAtWork) return;
    isAtWork = true;
    try {
      for (const { collectionId, outcome } of await keepVectorIndexes(db)) {
        log.info({ collectionId, outcome }, 'kept a vector index');
      }
    } catch (error) {
      log.error({ err: error }, 'vector indexes could not be kept');
    } finally {
      isAtWork = false;
    }
  };
  const timer = setInterval(() => void keep(), everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
