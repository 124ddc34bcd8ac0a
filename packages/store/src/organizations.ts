import type { Generated } from 'kysely';
import type { DbOrTx } from './database.ts';
import { executePrepared } from './prepared-statements.ts';

export interface OrganizationTable {
  id: Generated<string>;
  name: string;
  slug: string;
  status: Generated<OrganizationStatus>;
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
