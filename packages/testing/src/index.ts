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
export { readCpuMicroseconds } from './processes/read-cpu-microseconds.ts';
export { spawnServer, type SpawnedServer } from './http/spawn-server.ts';
export { startKbServer, type KbServer, type KbServerOptions } from './kb-server/start-kb-server.ts';
export { spawnKbServer } from './kb-server/spawn-kb-server.ts';
export type { KbDocument } from './kb-server/create-kb-store.ts';
export type { RequestRecord } from './http/start-faulty-server.ts';
export type { ServerFault } from './http/server-fault.ts';
export {
  startMoodleServer,
  type MoodleCall,
  type MoodleServer,
  type MoodleServerOptions,
} from './moodle-server/start-moodle-server.ts';
export { spawnMoodleServer } from './moodle-server/spawn-moodle-server.ts';
export type { MoodleCourse, MoodleUser } from './moodle-server/moodle-user.ts';
export {
  startWeatherServer,
  type WeatherServer,
  type WeatherServerOptions,
} from './weather-server/start-weather-server.ts';
export { spawnWeatherServer } from './weather-server/spawn-weather-server.ts';
export type { WeatherPlace } from './weather-server/answer-weather-request.ts';
export { startEffectLedger, type Effect, type EffectLedger } from './effect-ledger/start-effect-ledger.ts';
export { spawnEffectLedger } from './effect-ledger/spawn-effect-ledger.ts';
export { startIdentityProvider, type IdentityProvider } from './identity-provider/start-identity-provider.ts';
