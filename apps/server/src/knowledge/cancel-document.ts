import { isDocumentSettled } from '@lamb/contract';
import { changeDocument } from '@lamb/knowledge';
import { discardDrafts, endJobs, findJobs, getDocument, type StoredDocument, type TenantTx } from '@lamb/store';

/** Stops the reading of a document, wherever it is done. One that is done or has failed stays as it is. */
export async function cancelDocument(tx: TenantTx, { id }: Pick<StoredDocument, 'id'>): Promise<void> {
  // Waits for whoever is just putting it in place; from then on, nobody will.
  await endJobs(tx, await findJobs(tx, 'documentId', id));
  const document = await getDocument(tx, id);
  if (!document || isDocumentSettled(document.status)) return;
  await changeDocument(tx, document, { status: 'cancelled', progress: null });
  // Who cancels does not come back, as a rule; the text that was read is kept.
  if (document.jobId !== null) await discardDrafts(tx, { jobId: document.jobId, documentId: id });
}
