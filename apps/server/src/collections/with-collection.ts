import { AppError, type Principal } from '@lamb/contract';
import {
  getCollectionAccess,
  getDocument,
  withTenant,
  type Collection,
  type Db,
  type StoredDocument,
  type TenantTx,
} from '@lamb/store';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';

export type CollectionAction = 'collection.read' | 'collection.query' | 'collection.edit' | 'collection.share';

const uuid = z.uuid();

/** Runs `work` with a collection that the principal may do this to. */
export async function withCollection<Result>(
  db: Db,
  principal: Principal,
  id: number,
  action: CollectionAction,
  work: (tx: TenantTx, collection: Collection) => Promise<Result> | Result,
): Promise<Result> {
  return await withTenant(db, principal.organizationId, async (tx) => {
    const access = await getCollectionAccess(tx, id, principal.userId);
    authorize(principal, action, access && { isOwner: access.isOwner, isPublic: access.isReadable });
    if (!access) throw new AppError('not_found');
    return await work(tx, access.collection);
  });
}

/** The same for one of its documents. */
export async function withDocument<Result>(
  db: Db,
  principal: Principal,
  { id, document_id }: { readonly id: number; readonly document_id: string },
  action: CollectionAction,
  work: (tx: TenantTx, document: StoredDocument, collection: Collection) => Promise<Result> | Result,
): Promise<Result> {
  return await withCollection(db, principal, id, action, async (tx, collection) => {
    const document = await findDocument(tx, id, document_id);
    if (!document) throw new AppError('not_found');
    return await work(tx, document, collection);
  });
}

/** A collection's document, or undefined; that of another collection is none of this one. */
export async function findDocument(
  tx: TenantTx,
  collectionId: number,
  documentId: string,
): Promise<StoredDocument | undefined> {
  const document = uuid.safeParse(documentId).success ? await getDocument(tx, documentId) : undefined;
  return document?.collectionId === collectionId ? document : undefined;
}
