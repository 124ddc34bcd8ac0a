import type { Generated } from 'kysely';
import type { DbOrTx } from './database.ts';
import { executePrepared } from './prepared-statements.ts';

export interface OrganizationTable {
  id: Generated<string>;
  name: string;
  slug: string;
  status: Generated<OrganizationStatus>;
  signUpOpen: Generated<boolean>;
  createdAt: Generated<Date>;
}

export type OrganizationStatus = 'active' | 'suspended' | 'trial';

export interface Organization {
  id: string;
  name: string;
  slug: string;
  status: OrganizationStatus;
  createdAt: Date;
}

export async function findOrganizationBySlug(db: DbOrTx, slug: string): Promise<Organization | undefined> {
  const [found] = await executePrepared(
    db,
    db.selectFrom('auth.organization').select(['id', 'name', 'slug', 'status', 'createdAt']).where('slug', '=', slug),
  );
  return found;
}

/** The short names of organisations that people may sign up to by key; at most two, which is enough to tell whether it is one. */
export async function listOpenSlugs(db: DbOrTx): Promise<string[]> {
  const rows = await db
    .selectFrom('auth.organization')
    .select('slug')
    .where('signUpOpen', 'is', true)
    .where('status', '!=', 'suspended')
    .orderBy('slug')
    .limit(2)
    .execute();
  return rows.map(({ slug }) => slug);
}
