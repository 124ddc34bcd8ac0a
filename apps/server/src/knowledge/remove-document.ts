import { toCollectionTopic } from '@lamb/knowledge';
import { deleteDocument, endJobs, findJobs, tellNews, type StoredDocument, type TenantTx } from '@lamb/store';

/** Deletes a document with its passages and vectors; if it is being read, that ends. */
export async function removeDocument(
  tx: TenantTx,
  { id, collectionId }: Pick<StoredDocument, 'id' | 'collectionId'>,
): Promise<boolean> {
  await endJobs(tx, await findJobs(tx, 'documentId', id));
  await tellNews(tx, toCollectionTopic(collectionId), id);
  return await deleteDocument(tx, id);
}
