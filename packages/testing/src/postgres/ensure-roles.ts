import { createHash } from 'node:crypto';
import { withClusterLock } from './with-cluster-lock.ts';

export const ownerRole = 'lamb_owner';
export const appRole = 'lamb_app';

const ready = new Map<string, Promise<void>>();

/** Makes the two login roles that all test databases of a cluster share: neither can pass row-level security by rank. */
export async function ensureRoles(clusterUrl: string): Promise<void> {
  let pending = ready.get(clusterUrl);
  if (pending === undefined) {
    pending = makeRoles(clusterUrl);
    ready.set(clusterUrl, pending);
  }
  await pending;
}

/** Derived, so that all processes that know the cluster's URL agree on it without telling each other. */
export function derivePassword(clusterUrl: string): string {
  return createHash('sha256').update(`lamb test roles ${clusterUrl}`).digest('hex').slice(0, 32);
}

async function makeRoles(clusterUrl: string): Promise<void> {
  await withClusterLock(clusterUrl, 'roles', async (admin) => {
    for (const role of [ownerRole, appRole]) {
      const { rowCount } = await admin.query('select 1 from pg_roles where rolname = $1', [role]);
      const verb = rowCount === 0 ? 'create' : 'alter';
      const rights = 'login nosuperuser nobypassrls nocreatedb nocreaterole noreplication';
      await admin.query(`${verb} role ${role} with ${rights} password '${derivePassword(clusterUrl)}'`);
    }
  });
}
