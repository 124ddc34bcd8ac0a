import type { Principal } from '@lamb/contract';
import { getAssistantAccess, withTenant, type AssistantAccess, type Db, type TenantTx } from '@lamb/store';
import { authorizeAssistant, type AssistantAction } from '../access/authorize-assistant.ts';

/** Runs `work` with an assistant that the principal may do this to. */
export async function withAssistant<Result>(
  db: Db,
  principal: Principal,
  id: number,
  action: AssistantAction,
  work: (tx: TenantTx, access: AssistantAccess) => Promise<Result> | Result,
): Promise<Result> {
  return await withTenant(db, principal.organizationId, async (tx) => {
    const access = await getAssistantAccess(tx, id, principal.userId);
    authorizeAssistant(principal, action, access);
    return await work(tx, access);
  });
}
