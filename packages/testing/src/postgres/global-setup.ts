import { startCluster } from './start-cluster.ts';

/** One cluster for a whole vitest run, unless the caller's environment already names one. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.LAMB_TEST_CLUSTER_URL) return undefined;
  const cluster = await startCluster();
  process.env.LAMB_TEST_CLUSTER_URL = cluster.adminUrl;
  return async () => {
    delete process.env.LAMB_TEST_CLUSTER_URL;
    await cluster.stop();
  };
}
