import { startCluster } from '@lamb/testing';

/** One PostgreSQL for all workers, unless the caller's environment already names one. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['LAMB_TEST_CLUSTER_URL'] !== undefined) return undefined;
  const cluster = await startCluster();
  process.env['LAMB_TEST_CLUSTER_URL'] = cluster.adminUrl;
  return async () => {
    await cluster.stop();
  };
}
