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
export { spawnServer, type SpawnedServer } from './http/spawn-server.ts';
export {
  startKbServer,
  type KbRequestRecord,
  type KbServer,
  type KbServerOptions,
} from './kb-server/start-kb-server.ts';
export { spawnKbServer } from './kb-server/spawn-kb-server.ts';
export type { KbFault } from './kb-server/kb-fault.ts';
export type { KbDocument } from './kb-server/create-kb-store.ts';
