import { AppError } from '@lamb/contract';
import { changeDocument } from '@lamb/knowledge';
import type { StoredDocument, TenantTx } from '@lamb/store';
import { startIngestion } from './start-ingestion.ts';

/** Reads a document in that failed or was cancelled, from where the last attempt has stopped. */
export async function retryDocument(tx: TenantTx, document: StoredDocument): Promise<void> {
  if (document.status !== 'failed' && document.status !== 'cancelled') {
    const message = 'Only a document that failed or was cancelled can be tried again.';
    throw new AppError('invalid_request', { message, details: { status: document.status } });
  }
  await changeDocument(tx, document, {
    status: 'queued',
    progress: null,
    problem: null,
    attempt: document.attempt + 1,
  });
  await startIngestion(tx, document);
}
