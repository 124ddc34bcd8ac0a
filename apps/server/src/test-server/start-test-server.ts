import type { OrganizationConfig, Role } from '@lamb/contract';
import { migrateRuns } from '@lamb/runs';
import { createApiKey, migrate, putOrganizationConfig, withTenant, type NewApiKey } from '@lamb/store';
import {
  createTemplateDatabase,
  createTestDatabase,
  startKbServer,
  startLlmServer,
  type KbServer,
  type LlmServer,
} from '@lamb/testing';
import { randomBytes } from 'node:crypto';
import { createAccount } from '../accounts/create-account.ts';
import { createOrganization } from '../accounts/create-organization.ts';
import { createApp } from '../app.ts';
import { compose } from '../compose.ts';
import { readConfig } from '../config.ts';
import { startRuns } from '../runs/start-runs.ts';

/** A person of the test world, with a key to the API. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly key: string;
}

/** An organisation of the test world. */
export interface TestOrganization {
  readonly id: string;
  readonly admin: Person;
  readonly teacher: Person;
  readonly colleague: Person;
  readonly student: Person;
}

export interface TestServer {
  readonly url: string;
  readonly services: ReturnType<typeof compose>;
  readonly app: Awaited<ReturnType<typeof createApp>>;
  readonly llm: LlmServer;
  readonly kb: KbServer;
  readonly north: TestOrganization;
  readonly south: TestOrganization;
  /** Calls the API as somebody. */
  call(person: Pick<Person, 'key'>, method: string, path: string, body?: unknown): Promise<Reply>;
  stop(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests look into replies of many shapes; a wrong guess fails the assertion that follows.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

const PASSWORD = 'correct horse battery';

let runsAreTaken = false;

/** Starts the real server on a migrated database of its own, with a scripted model, a knowledge-base server and two organisations. */
export async function startTestServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const template = await createTemplateDatabase('migrated', async (ownerUrl) => {
    await migrate(ownerUrl);
    await migrateRuns(ownerUrl);
  });
  const database = await createTestDatabase({ template });
  const llm = await startLlmServer();
  const kb = await startKbServer();
  const composed = compose(
    readConfig({
      DATABASE_URL: database.appUrl,
      LAMB_AUTH_SECRET: 'only-for-tests-only-for-tests-only-for-tests',
      LAMB_SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
      LAMB_PORT: '0',
      LAMB_PUBLIC_URL: 'http://127.0.0.1',
      LAMB_LOG_LEVEL: 'silent',
      ...environment,
      LAMB_OUTBOUND_ALLOW: [new URL(llm.url).host, new URL(kb.url).host, environment['LAMB_OUTBOUND_ALLOW']].join(','),
    }),
  );
  // Runs are executed once a process; a second server beside the first has none.
  const runs = runsAreTaken ? undefined : await startRuns(composed);
  if (runs) runsAreTaken = true;
  const services = { ...composed, runs };
  const app = await createApp(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const [north, south] = await Promise.all([
    makeOrganization(services, 'north', llm, kb),
    makeOrganization(services, 'south', llm, kb),
  ]);
  return {
    url,
    services,
    app,
    llm,
    kb,
    north,
    south,
    async call(person, method, path, body) {
      const response = await fetch(new URL(path, url), {
        method,
        headers: {
          authorization: `Bearer ${person.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
    },
    async stop() {
      await app.close();
      if (runs) {
        await runs.close();
        runsAreTaken = false;
      }
      await services.close();
      await Promise.all([llm.stop(), kb.stop()]);
      await database.drop();
    },
  };
}

/** A configuration that points at the scripted servers. */
export function testOrganizationConfig(llm: LlmServer, kb: KbServer): OrganizationConfig {
  return {
    setups: {
      default: {
        is_default: true,
        global_default_model: { provider: 'openai', model: 'gpt-4o-mini' },
        small_fast_model: { provider: 'openai', model: 'small-model' },
        providers: {
          openai: { base_url: `${llm.url}/v1`, api_key: 'sk-test-openai', models: [], enabled: true },
          ollama: { base_url: llm.url, models: ['llama3.2:latest'], enabled: true },
        },
      },
    },
    kb_server: { url: kb.url, api_key: kb.token },
  };
}

async function makeOrganization(
  services: ReturnType<typeof compose>,
  slug: string,
  llm: LlmServer,
  kb: KbServer,
): Promise<TestOrganization> {
  const { db, secretBox } = services;
  const id = await createOrganization(db, { name: `${slug} university`, slug });
  await withTenant(db, id, (tx) => putOrganizationConfig(tx, secretBox, testOrganizationConfig(llm, kb)));
  const person = async (name: string, role: Role): Promise<Person> => {
    const email = `${name}@${slug}.test`;
    const userId = await createAccount(services, { email, name, password: PASSWORD, organizationId: id, role });
    return { id: userId, email, password: PASSWORD, key: await makeKey(services, { userId, organizationId: id }) };
  };
  const [admin, teacher, colleague, student] = await Promise.all([
    person('admin', 'owner'),
    person('teacher', 'member'),
    person('colleague', 'member'),
    person('student', 'end_user'),
  ]);
  return { id, admin, teacher, colleague, student };
}

/** Makes a key as its holder would. */
export async function makeKey(
  { db }: Pick<ReturnType<typeof compose>, 'db'>,
  key: Pick<NewApiKey, 'userId' | 'organizationId'> & Partial<NewApiKey>,
): Promise<string> {
  const made = await createApiKey(db, { name: 'test', assistants: 'all', trustedGateway: false, ...key });
  return made.key;
}
