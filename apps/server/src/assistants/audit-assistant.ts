import type { Principal } from '@lamb/contract';
import { recordAudit, type TenantTx } from '@lamb/store';

/** Writes down what somebody did to an assistant. */
export async function auditAssistant(
  tx: TenantTx,
  { userId }: Principal,
  action: `assistant.${string}`,
  id: number,
  details: Record<string, unknown> = {},
): Promise<void> {
  await recordAudit(tx, { actorId: userId, action, subject: `assistant:${String(id)}`, details });
}
