import { AppError, type Principal } from '@lamb/contract';
import { findApiKey, findMembership, type DbOrTx } from '@lamb/store';
import { requireValidKey, toKeyHolder, toPrincipal } from './to-principal.ts';

/**
 * What somebody who came in a while ago may do now: one look at their membership and at the key they came with. Throws
 * what the door would say to them today.
 */
export async function readStanding(db: DbOrTx, then: Principal): Promise<Principal> {
  const { userId, organizationId, keyId, endUser } = then;
  if (keyId === undefined) {
    const membership = await findMembership(db, userId, organizationId);
    if (!membership) {
      throw new AppError('account_disabled', { message: 'This account does not belong to the organisation any more.' });
    }
    const { via, assistants } = then;
    return toPrincipal(membership, { via, assistants });
  }
  const found = await findApiKey(db, keyId);
  requireValidKey(found);
  const now = toKeyHolder(found);
  if (endUser.id === userId) return now;
  if (found.key.trustedGateway) return { ...now, endUser };
  throw new AppError('unauthenticated', { message: 'This API key does not speak for other people any more.' });
}
