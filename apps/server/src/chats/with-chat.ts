import type { Principal } from '@lamb/contract';
import { getChat, withTenant, type Chat, type Db, type TenantTx } from '@lamb/store';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';

/** A chat's id where it is part of an address. */
export const ChatParams = z.object({ id: z.string().max(64) });

/** Runs `work` with a chat that the principal may do this to. */
export async function withChat<Result>(
  db: Db,
  principal: Principal,
  id: string,
  action: 'chat.read' | 'chat.edit',
  work: (tx: TenantTx, chat: Chat) => Promise<Result>,
): Promise<Result> {
  return await withTenant(db, principal.organizationId, async (tx) => {
    const chat = z.uuid().safeParse(id).success ? await getChat(tx, id) : undefined;
    const standing = chat && { chat, isOwner: chat.userId === principal.userId, isPublic: false };
    authorize(principal, action, standing);
    return await work(tx, standing.chat);
  });
}
