import { AppError } from '@lamb/contract';
import { changeDocument } from '@lamb/knowledge';
import type { StoredDocument, TenantTx } from '@lamb/store';
import { startIngestion } from './start-ingestion.ts';

/**
 * Reads a document in that failed or was cancelled. What was read and embedded before it failed is not done again; of one
 * that was cancelled, the text is kept.
 */
export async function retryDocument(
  tx: TenantTx,
  document: Pick<StoredDocument, 'id' | 'collectionId'>,
): Promise<void> {
  // Somebody else may be trying the same: the state that counts is the one in the database.
  const change = { status: 'queued', progress: null, problem: null } as const;
  if (!(await changeDocument(tx, document, change, { whileIn: ['failed', 'cancelled'] }))) {
    const message = 'Only a document that failed or was cancelled can be tried again.';
    throw new AppError('invalid_request', { message });
  }
  await startIngestion(tx, document);
}
