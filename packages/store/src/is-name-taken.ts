import type { TenantTx } from './with-tenant.ts';

/** Whether somebody already has an assistant of this name. */
export async function isNameTaken(tx: TenantTx, ownerId: string, name: string): Promise<boolean> {
  const found = await tx
    .selectFrom('lamb.assistants')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return found !== undefined;
}
