import { migrateRuns } from '@lamb/runs';
import { createApiKey, createAssistant, migrate, putBudgetCaps, putOrganizationConfig, withTenant } from '@lamb/store';
import {
  createTestDatabase,
  spawnEffectLedger,
  spawnServer,
  startCluster,
  type SpawnedServer,
  type TestDatabase,
} from '@lamb/testing';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../../apps/server/src/accounts/create-account.ts';
import { createOrganization } from '../../../apps/server/src/accounts/create-organization.ts';
import { compose } from '../../../apps/server/src/compose.ts';
import { readConfig } from '../../../apps/server/src/config.ts';
import { keepServer, type KeptServer } from './keep-server.ts';

/** Two servers on one database, a model and a world in which effects are counted, each in its own process. */
export interface World {
  readonly servers: readonly [KeptServer, KeptServer];
  readonly database: TestDatabase;
  readonly ledger: SpawnedServer;
  readonly model: SpawnedServer;
  readonly key: string;
  readonly assistantId: number;
  /** Answers that no outage excuses: 5xx other than 503. */
  readonly crashes: string[];
  /** What the servers said. */
  readonly logFile: string;
  /** Crashes the database and starts it again. */
  restartDatabase(): Promise<void>;
  close(options: { keepLog: boolean }): Promise<void>;
}

/** Sets the world up, with one organisation, one person and one assistant that has the counted tool. */
export async function openWorld(plants: readonly string[]): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'lamb-chaos-'));
  const dataDir = mkdtempSync(join(tmpdir(), 'lamb-chaos-pg-'));
  let cluster = await startCluster({ dataDir, fsync: true, keep: true });
  const { port } = cluster;
  const database = await createTestDatabase({
    clusterUrl: cluster.adminUrl,
    prepare: async (ownerUrl) => {
      await migrate(ownerUrl);
      await migrateRuns(ownerUrl);
    },
  });
  const [ledger, model] = await Promise.all([
    spawnEffectLedger(),
    spawnServer(new URL('../model.ts', import.meta.url)),
  ]);
  const environment = {
    DATABASE_URL: database.appUrl,
    LAMB_AUTH_SECRET: randomBytes(32).toString('base64'),
    LAMB_SECRET_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
    LAMB_OUTBOUND_ALLOW: new URL(model.url).host,
    LAMB_LOG_LEVEL: 'warn',
    CHAOS_LEDGER_URL: ledger.url,
    CHAOS_PLANTS: plants.join(','),
  };
  const { key, assistantId } = await furnish(environment, model.url);
  const logFile = join(folder, 'servers.log');
  const output = openSync(logFile, 'a');
  const servers = await Promise.all([keepServer(environment, output), keepServer(environment, output)]);
  return {
    servers,
    database,
    ledger,
    model,
    key,
    assistantId,
    crashes: [],
    logFile,
    async restartDatabase() {
      await cluster.stop('immediate');
      cluster = await startCluster({ dataDir, port, fsync: true, keep: true });
    },
    async close({ keepLog }) {
      await Promise.all(servers.map((server) => server.stop()));
      await Promise.all([ledger.stop(), model.stop()]);
      await cluster.stop('immediate');
      closeSync(output);
      for (const used of keepLog ? [dataDir] : [dataDir, folder]) rmSync(used, { recursive: true, force: true });
    },
  };
}

async function furnish(
  environment: Record<string, string>,
  modelUrl: string,
): Promise<{ key: string; assistantId: number }> {
  const services = compose(readConfig({ ...environment, LAMB_LOG_LEVEL: 'silent' }));
  const { db, secretBox } = services;
  try {
    const organizationId = await createOrganization(db, { name: 'Chaos', slug: 'chaos' });
    const person = { email: 'c@chaos.test', name: 'c', password: randomBytes(16).toString('hex') };
    const userId = await createAccount(services, { ...person, organizationId, role: 'member' });
    const owner = { userId, organizationId, name: 'chaos', assistants: 'all', trustedGateway: false } as const;
    const { key } = await createApiKey(db, owner);
    const assistantId = await withTenant(db, organizationId, async (tx) => {
      await putOrganizationConfig(tx, secretBox, {
        setups: { default: { is_default: true, providers: { openai: { base_url: `${modelUrl}/v1`, api_key: 'k' } } } },
      });
      // More than all runs use: what is wanted is that budget is set aside and settled under fire.
      const caps = { tokens: 1_000_000_000, micros: null };
      const budgets = { currency: 'EUR', organization: caps, userDefault: caps, users: [] };
      await putBudgetCaps(tx, budgets, new Date());
      const metadata = {
        assistant_type: 'multi_tool',
        prompt_processor: 'multi_augment',
        connector: 'openai',
        llm: 'chaos-model',
        tools: [{ type: 'chaos_effect', mode: 'function', enabled: true, approval: false, config: {} }],
      };
      const { id } = await createAssistant(tx, {
        ownerId: userId,
        name: 'Chaos',
        type: 'multi_tool',
        systemPrompt: 'Do what you are asked.',
        promptTemplate: '',
        metadata: JSON.stringify(metadata),
      });
      return id;
    });
    return { key, assistantId };
  } finally {
    await services.close();
  }
}
