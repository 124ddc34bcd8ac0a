import { AppError } from '@lamb/contract';
import { findOrganizationBySlug, type Db } from '@lamb/store';

/** Makes an organisation without members. Returns its id. */
export async function createOrganization(db: Db, organization: { name: string; slug: string }): Promise<string> {
  const { name, slug } = organization;
  if (await findOrganizationBySlug(db, slug)) {
    throw new AppError('name_taken', { message: `There is already an organisation with the short name “${slug}”.` });
  }
  const { id } = await db
    .insertInto('auth.organization')
    .values({ name, slug })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
