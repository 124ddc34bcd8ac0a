import { migrateRuns } from '@lamb/runs';
import { createApiKey, createAssistant, migrate, putOrganizationConfig, withTenant } from '@lamb/store';
import {
  createTemplateDatabase,
  createTestDatabase,
  startCluster,
  startLlmServer,
  type KbServer,
  type LlmServer,
  type TestDatabase,
} from '@lamb/testing';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../accounts/create-account.ts';
import { createOrganization } from '../../accounts/create-organization.ts';
import { compose } from '../../compose.ts';
import { readConfig } from '../../config.ts';
import { spawnServerProcess, type ServerProcess } from '../../test-server/spawn-server-process.ts';

/** A database with one person and one assistant that edits files, for servers in processes of their own. */
export interface House {
  readonly llm: LlmServer;
  readonly database: TestDatabase;
  readonly key: string;
  readonly assistantId: number;
  readonly model: string;
  /** Starts one more server on the same database. */
  startServer(changes?: Record<string, string>): Promise<ServerProcess>;
  call(server: ServerProcess, method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** Starts a run in the background. */
  startRun(server: ServerProcess, content: string): Promise<string>;
  /** Crashes the database; only in a house with a cluster of its own. */
  stopDatabase(): Promise<void>;
  /** Starts it again. */
  startDatabase(): Promise<void>;
  close(): Promise<void>;
}

interface HouseOptions {
  readonly ownCluster?: boolean;
  /** The assistant also searches this collection, before it answers and when it likes, and cites from it. */
  readonly knowledge?: { readonly server: KbServer; readonly collection: string };
}

async function prepare(ownerUrl: string): Promise<void> {
  await migrate(ownerUrl);
  await migrateRuns(ownerUrl);
}

/** Opens a house without servers. Those that were started in it are ended when it closes. */
export async function openHouse({ ownCluster = false, knowledge }: HouseOptions = {}): Promise<House> {
  const dataDir = ownCluster ? mkdtempSync(join(tmpdir(), 'lamb-house-')) : undefined;
  let cluster = dataDir === undefined ? undefined : await startCluster({ dataDir, fsync: true, keep: true });
  const database = cluster
    ? await createTestDatabase({ clusterUrl: cluster.adminUrl, prepare })
    : await createTestDatabase({ template: await createTemplateDatabase('migrated', prepare) });
  const llm = await startLlmServer();
  const environment = {
    DATABASE_URL: database.appUrl,
    LAMB_AUTH_SECRET: randomBytes(32).toString('base64'),
    LAMB_SECRET_KEYS: `house:${randomBytes(32).toString('base64')}`,
    LAMB_OUTBOUND_ALLOW: [llm, knowledge?.server]
      .flatMap((server) => (server ? new URL(server.url).host : []))
      .join(','),
    LAMB_LOG_LEVEL: 'silent',
  };
  const { key, assistantId } = await furnish(environment, llm.url, knowledge);
  const model = `lamb_assistant.${assistantId}`;
  const servers: ServerProcess[] = [];

  const call: House['call'] = async (server, method, path, body) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  return {
    llm,
    database,
    key,
    assistantId,
    model,
    call,
    async startServer(changes = {}) {
      const server = await spawnServerProcess({ ...environment, ...changes });
      servers.push(server);
      return server;
    },
    async startRun(server, content) {
      const messages = [{ role: 'user', content }];
      const { status, body } = await call(server, 'POST', '/v1/chat/completions', {
        model,
        messages,
        lamb: { background: true },
      });
      if (status !== 202) throw new Error(`The run was not started: ${status} ${JSON.stringify(body)}`);
      return (body as { id: string }).id;
    },
    async stopDatabase() {
      if (!cluster) throw new Error('This house has no cluster of its own.');
      await cluster.stop('immediate');
    },
    async startDatabase() {
      if (!cluster || dataDir === undefined) throw new Error('This house has no cluster of its own.');
      cluster = await startCluster({ dataDir, port: cluster.port, fsync: true, keep: true });
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop('SIGKILL')));
      await llm.stop();
      if (cluster && dataDir !== undefined) {
        await cluster.stop('immediate');
        rmSync(dataDir, { recursive: true, force: true });
      } else await database.drop();
    },
  };
}

async function furnish(
  environment: Record<string, string>,
  llmUrl: string,
  knowledge: HouseOptions['knowledge'],
): Promise<{ key: string; assistantId: number }> {
  const services = compose(readConfig(environment));
  const { db, secretBox } = services;
  const organizationId = await createOrganization(db, { name: 'House', slug: 'house' });
  const person = { email: 'h@house.test', name: 'h', password: 'correct horse battery' };
  const userId = await createAccount(services, { ...person, organizationId, role: 'member' });
  const { key } = await createApiKey(db, {
    userId,
    organizationId,
    name: 'house',
    assistants: 'all',
    trustedGateway: false,
  });
  const assistantId = await withTenant(db, organizationId, async (tx) => {
    await putOrganizationConfig(tx, secretBox, {
      setups: { default: { is_default: true, providers: { openai: { base_url: `${llmUrl}/v1`, api_key: 'k' } } } },
      ...(knowledge && { kb_server: { url: knowledge.server.url, api_key: knowledge.server.token } }),
    });
    const search = { collections: [knowledge?.collection], citations: true, name: 'notes' };
    const searches = ['context', 'function'].map((mode) => ({
      type: 'simple_rag',
      mode,
      enabled: true,
      config: search,
    }));
    const metadata = {
      assistant_type: 'multi_tool',
      prompt_processor: 'multi_augment',
      connector: 'openai',
      llm: 'house-model',
      tools: [{ type: 'patch_file', mode: 'function', enabled: true, config: {} }, ...(knowledge ? searches : [])],
    };
    const { id } = await createAssistant(tx, {
      ownerId: userId,
      name: 'Editor',
      type: 'multi_tool',
      systemPrompt: 'Edit what you are asked to.',
      promptTemplate: knowledge ? '{context}{user_input}' : '',
      metadata: JSON.stringify(metadata),
    });
    return id;
  });
  await services.close();
  return { key, assistantId };
}
