import {
  endReindexing,
  failDocument,
  ingestDocument,
  reindexCollection,
  type IngestPorts,
  type Splitter,
} from '@lamb/knowledge';
import type { JobHandler } from '@lamb/runs';
import type { Services } from '../services.ts';
import { createGate } from './create-gate.ts';

/** A model that runs on this site's own machine may take its time for each text. */
const BATCHES = {
  ollama: { maxTexts: 16, maxTokens: 6000 },
  openai: { maxTexts: 64, maxTokens: 24_000 },
};

/** From here on one after the other: while a document is kept and cut, it is in memory several times. */
const LARGE_BYTES = 2_000_000;

const UNEXPECTED = {
  code: 'unexpected',
  message:
    'Something went wrong on our side while the document was read. Try again; if it stays, tell the operator when it happened.',
};

/** What is done in the background: documents are read in, and collections read anew. */
export function createJobHandlers(
  { db, embedder, config }: Pick<Services, 'db' | 'embedder' | 'config'>,
  splitter: Splitter,
): Record<'ingest' | 'reindex', JobHandler> {
  const places = createGate(config.jobsAtOnce);
  const placeOfLarge = createGate(1);
  const ports: IngestPorts = {
    db,
    splitter,
    async withPlace({ signal, leaving }, bytes, work) {
      const either = AbortSignal.any([signal, leaving]);
      const leaves: (() => void)[] = [];
      try {
        if (bytes > LARGE_BYTES) leaves.push(await placeOfLarge.enter('machine', either));
        leaves.push(await places.enter('machine', either));
        return await work();
      } finally {
        for (const leave of leaves) leave();
      }
    },
    extraction: { milliseconds: config.extractionMs, memoryMegabytes: config.extractionMegabytes },
    limitBatches: ({ provider }) => BATCHES[provider === 'ollama' ? 'ollama' : 'openai'],
    embed: (batch, patience) => embedder.embedPassages(batch, patience),
  };
  return {
    ingest: {
      run: (attempt) => ingestDocument(attempt, ports),
      giveUp: (job) => failDocument(ports, job, UNEXPECTED),
    },
    reindex: {
      run: (attempt) => reindexCollection(attempt, ports),
      giveUp: (job) => endReindexing(ports, job, UNEXPECTED),
    },
  };
}
