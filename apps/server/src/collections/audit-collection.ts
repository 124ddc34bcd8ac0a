import type { Principal } from '@lamb/contract';
import { recordAudit, type TenantTx } from '@lamb/store';

/** Writes down what somebody did to a collection. */
export async function auditCollection(
  tx: TenantTx,
  { userId }: Principal,
  action: `collection.${string}`,
  id: number,
  details: Record<string, unknown> = {},
): Promise<void> {
  await recordAudit(tx, { actorId: userId, action, subject: `collection:${String(id)}`, details });
}
