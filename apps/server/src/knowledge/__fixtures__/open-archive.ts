import { migrateRuns } from '@lamb/runs';
import { migrate, putOrganizationConfig, withTenant, type Db } from '@lamb/store';
import { createTemplateDatabase, createTestDatabase, startLlmServer, type LlmServer } from '@lamb/testing';
import { randomBytes } from 'node:crypto';
import { createAccount } from '../../accounts/create-account.ts';
import { createOrganization } from '../../accounts/create-organization.ts';
import { compose } from '../../compose.ts';
import { readConfig } from '../../config.ts';
import { makeKey } from '../../test-server/start-test-server.ts';
import { spawnServerProcess, type ServerProcess } from '../../test-server/spawn-server-process.ts';
import { createLibrary, type Library } from './create-library.ts';

/** A database with one person's collections, for servers in processes of their own. */
export interface Archive {
  readonly llm: LlmServer;
  readonly db: Db;
  readonly library: Library;
  /** The person's, for the API. */
  readonly key: string;
  startServer(): Promise<ServerProcess>;
  close(): Promise<void>;
}

/** Opens an archive without servers. Those that were started in it are ended when it closes. */
export async function openArchive(settings: Record<string, string> = {}): Promise<Archive> {
  const template = await createTemplateDatabase('migrated', async (ownerUrl) => {
    await migrate(ownerUrl);
    await migrateRuns(ownerUrl);
  });
  const database = await createTestDatabase({ template });
  const llm = await startLlmServer();
  const environment = {
    DATABASE_URL: database.appUrl,
    LAMB_AUTH_SECRET: randomBytes(32).toString('base64'),
    LAMB_SECRET_KEYS: `archive:${randomBytes(32).toString('base64')}`,
    LAMB_OUTBOUND_ALLOW: new URL(llm.url).host,
    LAMB_LOG_LEVEL: 'silent',
    ...settings,
  };
  const services = compose(readConfig(environment));
  const { db, secretBox } = services;
  const organizationId = await createOrganization(db, { name: 'Archive', slug: 'archive' });
  const person = { email: 'a@archive.test', name: 'a', password: 'correct horse battery' };
  const userId = await createAccount(services, { ...person, organizationId, role: 'member' });
  await withTenant(db, organizationId, (tx) =>
    putOrganizationConfig(tx, secretBox, {
      setups: { default: { is_default: true, providers: { ollama: { base_url: llm.url } } } },
    }),
  );
  const servers: ServerProcess[] = [];
  return {
    llm,
    db,
    library: createLibrary(db, organizationId, userId),
    key: await makeKey(services, { userId, organizationId }),
    async startServer() {
      const server = await spawnServerProcess(environment);
      servers.push(server);
      return server;
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop('SIGKILL')));
      await services.close();
      await llm.stop();
      await database.drop();
    },
  };
}
