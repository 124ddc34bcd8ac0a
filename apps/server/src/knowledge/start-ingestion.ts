import { createJob, lockCollection, type StoredDocument, type TenantTx } from '@lamb/store';

/** Has a document read in, from when the transaction is committed. While its collection is read anew, it waits for that. */
export async function startIngestion(
  tx: TenantTx,
  { id, collectionId }: Pick<StoredDocument, 'id' | 'collectionId'>,
): Promise<void> {
  const collection = await lockCollection(tx, collectionId);
  if (collection?.reindexJobId !== null) return;
  await createJob(tx, { kind: 'ingest', input: { documentId: id } });
}
