import type { Principal } from '@lamb/contract';
import { createDocument, type Db, type NewDocument, type StoredDocument } from '@lamb/store';
import { startIngestion } from '../knowledge/start-ingestion.ts';
import { auditCollection } from './audit-collection.ts';
import { withCollection } from './with-collection.ts';

/** Adds a document to a collection and has it read in; one that the collection has already is left as it is. */
export async function addDocument(
  db: Db,
  principal: Principal,
  document: NewDocument,
): Promise<{ document: StoredDocument; duplicate: boolean }> {
  const { collectionId } = document;
  return await withCollection(db, principal, collectionId, 'collection.edit', async (tx) => {
    const added = await createDocument(tx, document);
    if (!added.duplicate) {
      await startIngestion(tx, added.document);
      await auditCollection(tx, principal, 'collection.document_added', collectionId, { document: added.document.id });
    }
    return added;
  });
}
