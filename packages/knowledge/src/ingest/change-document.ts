import { holdJob, tellNews, updateDocument, withTenant, type DocumentChange, type TenantTx } from '@lamb/store';
import type { IngestAttempt, IngestPorts } from './ingest-ports.ts';

/** A document and the collection it belongs to. */
export interface DocumentRef {
  readonly id: string;
  readonly collectionId: number;
}

/** The topic under which news of a collection's documents is told; the news is a document's id. */
export function toCollectionTopic(collectionId: number): string {
  return `collection:${String(collectionId)}`;
}

/** Changes a document's row as `updateDocument` does, and tells those who watch its collection. */
export async function changeDocument(
  tx: TenantTx,
  { id, collectionId }: DocumentRef,
  change: DocumentChange,
  condition: Parameters<typeof updateDocument>[3] = {},
): Promise<boolean> {
  const isChanged = await updateDocument(tx, id, change, condition);
  await tellNews(tx, toCollectionTopic(collectionId), id);
  return isChanged;
}

/** Does something in a transaction in which the job is held. Throws `JobLost` when it no longer is. */
export async function whileHeld<Result>(
  { db }: Pick<IngestPorts, 'db'>,
  { job }: Pick<IngestAttempt, 'job'>,
  work: (tx: TenantTx) => Promise<Result>,
): Promise<Result> {
  return await withTenant(db, job.organizationId, async (tx) => {
    await holdJob(tx, job);
    return await work(tx);
  });
}
