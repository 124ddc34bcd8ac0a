import type { CollectionEmbedding, Db, Job, TenantTx } from '@lamb/store';
import type { BatchLimits } from '../embed/plan-batches.ts';
import type { ExtractionLimits } from '../extract/extraction-limits.ts';
import type { Splitter } from './create-splitter.ts';

/** One attempt at a job. */
export interface IngestAttempt {
  readonly job: Job;
  /** Aborted when the job was ended by somebody. */
  readonly signal: AbortSignal;
  /** Aborted when this process is about to stop: what is at hand may be finished, nothing more begun. */
  readonly leaving: AbortSignal;
}

/** Passages of one request to a provider, and how the request is recognised when it is repeated. */
export interface IngestBatch {
  readonly organizationId: string;
  readonly userId: string;
  readonly embedding: CollectionEmbedding;
  readonly runId: string;
  readonly key: string;
  readonly texts: readonly string[];
  readonly tokens: number;
}

/** What reading documents in needs from outside. */
export interface IngestPorts {
  readonly db: Db;
  readonly splitter: Splitter;
  /** Does what takes this machine's processor, or the memory of a whole document of so many bytes; of all jobs, so many at a time. */
  readonly withPlace: <Result>(attempt: IngestAttempt, bytes: number, work: () => Promise<Result>) => Promise<Result>;
  /** What reading one document may cost; what is left out has its default. */
  readonly extraction: Partial<ExtractionLimits>;
  /** How large a request to a provider may be. */
  readonly limitBatches: (embedding: CollectionEmbedding) => BatchLimits;
  /** Makes vectors; `book` is called in the transaction that keeps them. */
  readonly embed: (
    batch: IngestBatch,
    attempt: IngestAttempt,
  ) => Promise<{ readonly vectors: readonly Float32Array[]; book(tx: TenantTx): Promise<void> }>;
}
