import type pg from 'pg';
import { connect } from './connect.ts';

/**
 * Runs `work` while no other process of this cluster runs one under the same name.
 * Advisory locks count per database, so the lock is always taken in the administrator's.
 */
export async function withClusterLock<Result>(
  clusterUrl: string,
  name: string,
  work: (admin: pg.Client) => Promise<Result>,
): Promise<Result> {
  return await connect(clusterUrl, async (admin) => {
    await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [`lamb:${name}`]);
    return await work(admin);
  });
}
