import { AppError } from '@lamb/contract';
import { beginReindex, createJob, type Collection, type CollectionIndexing, type TenantTx } from '@lamb/store';
import { randomUUID } from 'node:crypto';

/** Has all documents of a collection cut or embedded anew, from when the transaction is committed. Nothing is uploaded again. */
export async function startReindex(
  tx: TenantTx,
  { id: collectionId, language, embedding, chunking }: Collection,
  change: Partial<CollectionIndexing>,
): Promise<void> {
  const id = randomUUID();
  if (!(await beginReindex(tx, collectionId, id))) {
    throw new AppError('invalid_request', {
      message: 'The collection is being read anew already; wait until that is done.',
    });
  }
  const indexing: CollectionIndexing = { language, embedding, chunking, ...change };
  await createJob(tx, { id, kind: 'reindex', input: { collectionId, indexing } });
}
