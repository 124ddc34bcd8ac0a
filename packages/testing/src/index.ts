export { startCluster, type Cluster, type ClusterOptions } from './postgres/start-cluster.ts';
export {
  createTemplateDatabase,
  createTestDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
} from './postgres/create-test-database.ts';
