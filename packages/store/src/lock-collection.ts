import { getCollection, type Collection } from './collections.ts';
import type { TenantTx } from './with-tenant.ts';

/** A collection that nobody begins or ends to read anew before the transaction ends. */
export async function lockCollection(tx: TenantTx, id: number): Promise<Collection | undefined> {
  await tx.selectFrom('lamb.collections').select('id').where('id', '=', id).forShare().execute();
  return await getCollection(tx, id);
}
