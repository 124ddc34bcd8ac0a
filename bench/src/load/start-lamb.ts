import { migrateRuns } from '@lamb/runs';
import {
  createApiKey,
  createAssistant,
  createFile,
  createRubric,
  migrate,
  putOrganizationConfig,
  withTenant,
} from '@lamb/store';
import { createTestDatabase, startCluster } from '@lamb/testing';
import { randomBytes } from 'node:crypto';
import { createAccount } from '../../../apps/server/src/accounts/create-account.ts';
import { createOrganization } from '../../../apps/server/src/accounts/create-organization.ts';
import { compose } from '../../../apps/server/src/compose.ts';
import { readConfig } from '../../../apps/server/src/config.ts';
import { spawnServerProcess, type ServerProcess } from '../../../apps/server/src/test-server/spawn-server-process.ts';

export interface BenchedLamb {
  readonly server: ServerProcess;
  readonly key: string;
  /** The model name of the assistant under test. */
  readonly model: string;
  /** The database, as who sees every row. */
  readonly adminUrl: string;
  /** The database, as the server sees it. */
  readonly appUrl: string;
  /** The organisation, and the person whose key it is. */
  readonly tenant: { readonly organizationId: string; readonly ownerId: string };
  stop(): Promise<void>;
}

/** Starts the real server in its own process on a real database, with one organisation and one assistant. */
export async function startLamb(setup: {
  llmUrl: string;
  kbUrl?: string;
  kbToken?: string;
  /** Of PostgreSQL. */
  settings?: Record<string, string>;
  assistant: { template: string; tools: (made: { rubricId: string; filePath: string }) => unknown[] };
}): Promise<BenchedLamb> {
  const cluster = await startCluster({ settings: setup.settings ?? {} });
  const database = await createTestDatabase({
    clusterUrl: cluster.adminUrl,
    prepare: async (ownerUrl) => {
      await migrate(ownerUrl);
      await migrateRuns(ownerUrl);
    },
  });
  const environment = {
    DATABASE_URL: database.appUrl,
    LAMB_AUTH_SECRET: randomBytes(32).toString('base64'),
    LAMB_SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    LAMB_OUTBOUND_ALLOW: [setup.llmUrl, ...(setup.kbUrl === undefined ? [] : [setup.kbUrl])]
      .map((url) => new URL(url).host)
      .join(','),
  };
  const services = compose(readConfig({ ...environment, LAMB_LOG_LEVEL: 'silent' }));
  const { db, secretBox } = services;
  const organizationId = await createOrganization(db, { name: 'Bench', slug: 'bench' });
  const password = randomBytes(16).toString('hex');
  const userId = await createAccount(services, {
    email: 'b@bench.test',
    name: 'b',
    password,
    organizationId,
    role: 'member',
  });
  const { key } = await createApiKey(db, {
    userId,
    organizationId,
    name: 'bench',
    assistants: 'all',
    trustedGateway: false,
  });
  const assistantId = await withTenant(db, organizationId, async (tx) => {
    await putOrganizationConfig(tx, secretBox, {
      setups: {
        default: { is_default: true, providers: { openai: { base_url: `${setup.llmUrl}/v1`, api_key: 'k' } } },
      },
      ...(setup.kbUrl === undefined ? {} : { kb_server: { url: setup.kbUrl, api_key: setup.kbToken ?? 'kb-token' } }),
    });
    const { rubricId } = await createRubric(tx, { ownerId: userId, title: 'Bench', data: benchRubric });
    const filePath = 'notes.md';
    const content = Buffer.from('A line of notes.\n'.repeat(200));
    await createFile(tx, { ownerId: userId, path: filePath, mediaType: 'text/markdown', content });
    const metadata = {
      assistant_type: 'multi_tool',
      prompt_processor: 'multi_augment',
      connector: 'openai',
      llm: 'bench-model',
      tools: setup.assistant.tools({ rubricId, filePath }),
    };
    const assistant = await createAssistant(tx, {
      ownerId: userId,
      name: 'Bench',
      type: 'multi_tool',
      systemPrompt: 'Be brief.',
      promptTemplate: setup.assistant.template,
      metadata: JSON.stringify(metadata),
    });
    return assistant.id;
  });
  await services.close();
  const server = await spawnServerProcess(environment);
  return {
    server,
    key,
    model: `lamb_assistant.${String(assistantId)}`,
    appUrl: database.appUrl,
    tenant: { organizationId, ownerId: userId },
    adminUrl: new URL(new URL(database.ownerUrl).pathname, cluster.adminUrl).href,
    async stop() {
      await server.stop();
      await cluster.stop();
    },
  };
}

const benchRubric = {
  title: 'Bench',
  criteria: ['Argument', 'Evidence', 'Style'].map((name) => ({
    id: name,
    name,
    weight: 33,
    levels: [
      { id: 'high', score: 4, label: 'High', description: 'Very good.' },
      { id: 'low', score: 1, label: 'Low', description: 'Not good.' },
    ],
  })),
};
