import { findMembership, findOrganizationBySlug, type Db } from '@lamb/store';
import type { OidcProvider } from '../config.ts';

/**
 * Why somebody may not come in through this identity provider; undefined when they may. A provider vouches for its own
 * organisation only: a person who is already known here, and does not belong to it, is not its to sign in.
 */
export async function refuseStranger(
  db: Db,
  provider: OidcProvider,
  existingUserId: string | undefined,
): Promise<{ error: string; errorDescription: string } | undefined> {
  const organization = await findOrganizationBySlug(db, provider.organization);
  if (!organization) {
    return {
      error: 'organization_unknown',
      errorDescription: `This way of signing in leads to an organisation that does not exist. Tell the operator of this installation.`,
    };
  }
  if (existingUserId === undefined || (await findMembership(db, existingUserId, organization.id))) return undefined;
  return {
    error: 'account_of_another_organization',
    errorDescription: `The e-mail address belongs to an account of another organisation. Sign in the way you do there, or ask an administrator of ${organization.name}.`,
  };
}

/** Makes a person who is new here a member of the organisation that their identity provider belongs to. Whoever is a member already stays what they are. */
export async function joinOrganization(db: Db, provider: OidcProvider, userId: string): Promise<void> {
  const found = await findOrganizationBySlug(db, provider.organization);
  if (!found) throw new Error(`The identity provider “${provider.id}” names an unknown organisation.`);
  await db.transaction().execute(async (tx) => {
    const joined = await tx
      .insertInto('auth.member')
      .values(({ selectFrom }) => ({
        organizationId: found.id,
        userId,
        role: provider.role,
        // The provider says of each address whether it has checked it.
        emailConfirmed: selectFrom('auth.user').select('emailVerified').where('id', '=', userId),
      }))
      .onConflict((conflict) => conflict.columns(['userId', 'organizationId']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!joined) return;
    const kind = provider.role === 'end_user' ? 'end_user' : 'creator';
    await tx.updateTable('auth.user').set({ kind }).where('id', '=', userId).execute();
  });
}
