import {
  countDrafts,
  listWaitingDrafts,
  putDraftEmbeddings,
  withTenant,
  type CollectionEmbedding,
  type DraftProgress,
  type TenantTx,
} from '@lamb/store';
import { createHash } from 'node:crypto';
import { indexText } from '../chunk/index-text.ts';
import { planBatches } from '../embed/plan-batches.ts';
import { whileHeld } from './change-document.ts';
import type { IngestAttempt, IngestPorts } from './ingest-ports.ts';

/** What is to be embedded, and who pays for it. */
export interface DraftsToEmbed {
  readonly draftId: string;
  /** Undefined: all documents of the draft. */
  readonly documentId?: string | undefined;
  readonly embedding: CollectionEmbedding;
  readonly userId: string;
}

/**
 * Embeds the passages of a draft that have no vector yet, batch by batch, each kept as it comes. One batch at a time:
 * so the passages that are left always fall into the same batches, and one that was answered but not kept is asked for
 * again under the same key.
 */
export async function embedDrafts(
  ports: IngestPorts,
  attempt: IngestAttempt,
  { draftId, documentId, embedding, userId }: DraftsToEmbed,
  onProgress: (tx: TenantTx, progress: DraftProgress) => Promise<void>,
): Promise<void> {
  const { db } = ports;
  const { job, signal, leaving } = attempt;
  const { organizationId } = job;
  const drafts = { jobId: draftId, documentId };
  const limits = ports.limitBatches(embedding);
  let progress = await whileHeld(ports, attempt, async (tx) => {
    const counted = (await countDrafts(tx, drafts)) ?? { chunks: 0, embedded: 0 };
    await onProgress(tx, counted);
    return counted;
  });
  for (;;) {
    signal.throwIfAborted();
    leaving.throwIfAborted();
    const waiting = await withTenant(db, organizationId, (tx) => listWaitingDrafts(tx, drafts, limits.maxTexts));
    const [batch] = planBatches(waiting, limits);
    if (!batch) return;
    const { vectors, book } = await ports.embed(
      {
        organizationId,
        userId,
        embedding,
        runId: draftId,
        key: nameBatch(draftId, batch),
        texts: batch.map(indexText),
        tokens: batch.reduce((sum, { tokens }) => sum + tokens, 0),
      },
      attempt,
    );
    const embedded = { ...progress, embedded: progress.embedded + batch.length };
    await whileHeld(ports, attempt, async (tx) => {
      const filled = batch.flatMap(({ documentId: id, ordinal }, index) => {
        const vector = vectors[index];
        return vector ? [{ documentId: id, ordinal, embedding: vector }] : [];
      });
      // The document before its drafts, as everybody locks them.
      await onProgress(tx, embedded);
      await putDraftEmbeddings(tx, draftId, filled);
      await book(tx);
    });
    progress = embedded;
  }
}

function nameBatch(
  draftId: string,
  batch: readonly { readonly documentId: string; readonly ordinal: number }[],
): string {
  const places = batch.map(({ documentId, ordinal }) => `${documentId}:${String(ordinal)}`);
  return createHash('sha256')
    .update([draftId, ...places].join('\n'))
    .digest('hex');
}
