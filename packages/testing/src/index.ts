export { startCluster, type Cluster, type ClusterOptions } from './postgres/start-cluster.ts';
export {
  createTemplateDatabase,
  createTestDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
} from './postgres/create-test-database.ts';
export { startLlmServer, type LlmServer, type LlmServerOptions } from './llm-server/start-llm-server.ts';
export { spawnLlmServer } from './llm-server/spawn-llm-server.ts';
export { numberTokens, type LlmFaults, type LlmReply, type LlmToolCall } from './llm-server/llm-reply.ts';
export type { RequestMatch, Responder, ScriptEntry, ScriptedReply } from './llm-server/match-script.ts';
export type { RecordedRequest } from './llm-server/recorded-request.ts';
export { embedText } from './llm-server/embed-text.ts';
export { makePng } from './llm-server/make-png.ts';
export type { SpawnedServer } from './http/spawn-server.ts';
