import { AppError, OrganizationConfig, type Role } from '@lamb/contract';
import { findOrganizationBySlug, getOrganizationConfig, getSecret, SIGN_UP_KEY, withTenant } from '@lamb/store';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Services } from '../services.ts';

/** Where a key leads to, and as what one is there. */
interface SignUp {
  readonly organizationId: string;
  readonly role: Role;
}

/**
 * Checks the key that opens an organisation to newcomers. An organisation that does not exist, one that is closed and a
 * wrong key get the same answer.
 */
export async function checkSignUpKey(
  { organization: slug, key }: { organization: string; key: string },
  { db, secretBox }: Pick<Services, 'db' | 'secretBox'>,
): Promise<SignUp> {
  const organization = await findOrganizationBySlug(db, slug);
  if (!organization || organization.status === 'suspended') throw refused();
  const { features, secret } = await withTenant(db, organization.id, async (tx) => ({
    features: OrganizationConfig.parse(await getOrganizationConfig(tx)).features,
    secret: await getSecret(tx, secretBox, SIGN_UP_KEY),
  }));
  if (features?.signup_enabled !== true || secret === undefined || !isSame(secret, key)) throw refused();
  return { organizationId: organization.id, role: features.signup_role ?? 'member' };
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function refused(): AppError {
  return new AppError('forbidden', {
    message: 'This key does not open this organisation. Check both, or ask an administrator of the organisation.',
  });
}
