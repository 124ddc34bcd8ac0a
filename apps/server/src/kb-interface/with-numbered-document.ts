import { AppError, type Principal } from '@lamb/contract';
import {
  getCollectionAccess,
  getDocumentByNumber,
  withTenant,
  type Db,
  type StoredDocument,
  type TenantTx,
} from '@lamb/store';
import { authorize } from '../access/authorize.ts';
import type { CollectionAction } from '../collections/with-collection.ts';

/** Runs `work` with the document of this number; with `collectionId`, only if it is one of that collection. */
export async function withNumberedDocument<Result>(
  db: Db,
  principal: Principal,
  number: number,
  action: CollectionAction,
  work: (tx: TenantTx, document: StoredDocument) => Promise<Result> | Result,
  { collectionId }: { readonly collectionId?: number | undefined } = {},
): Promise<Result> {
  return await withTenant(db, principal.organizationId, async (tx) => {
    const document = await getDocumentByNumber(tx, number);
    const access = document && (await getCollectionAccess(tx, document.collectionId, principal.userId));
    authorize(principal, action, access && { isOwner: access.isOwner, isPublic: access.isReadable });
    if (!document || (collectionId !== undefined && document.collectionId !== collectionId)) {
      throw new AppError('not_found');
    }
    return await work(tx, document);
  });
}
