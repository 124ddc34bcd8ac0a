import type { Role } from '@lamb/contract';
import { migrateRuns } from '@lamb/runs';
import { createApiKey, migrate, putOrganizationConfig, withTenant } from '@lamb/store';
import {
  createTemplateDatabase,
  createTestDatabase,
  startIdentityProvider,
  startKbServer,
  startLlmServer,
  startMoodleServer,
  type IdentityProvider,
  type KbServer,
  type LlmServer,
  type MoodleServer,
} from '@lamb/testing';
import { randomBytes } from 'node:crypto';
import { createAccount } from '../../apps/server/src/accounts/create-account.ts';
import { createOrganization } from '../../apps/server/src/accounts/create-organization.ts';
import { compose } from '../../apps/server/src/compose.ts';
import { readConfig } from '../../apps/server/src/config.ts';
import { startFramingSite, type FramingSite } from './start-framing-site.ts';
import { spawnServerProcess } from '../../apps/server/src/test-server/spawn-server-process.ts';
import { testOrganizationConfig } from '../../apps/server/src/test-server/start-test-server.ts';

/** Somebody who can sign in. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** For calls to the interface beside the browser: `organization.call(person, …)`. */
  readonly key: string;
}

/** An organisation with its people, made for one test. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly admin: Person;
  readonly teacher: Person;
  readonly student: Person;
  addPerson(name: string, role: Role): Promise<Person>;
  /** Calls the interface as somebody; what is not a success is thrown. A `FormData` is sent as such. */
  call(person: Person, method: string, path: string, body?: unknown): Promise<unknown>;
}

/** A real server in its own process, with a database, a scripted model, a knowledge-base server and an identity provider. */
export interface World {
  readonly url: string;
  readonly llm: LlmServer;
  readonly kb: KbServer;
  readonly moodle: MoodleServer;
  /** Where everybody of the organisation “Campus” signs in. */
  readonly idp: IdentityProvider;
  /** Another site, which may show our pages for frames. */
  readonly site: FramingSite;
  addOrganization(options?: OrganizationOptions): Promise<Organization>;
  /** Makes many assistants at once, beside the interface. */
  addAssistants(organization: Organization, owner: Person, count: number): Promise<void>;
  /** Makes somebody a member of a second organisation. */
  join(person: Person, organization: Organization, role: Role): Promise<void>;
  stop(): Promise<void>;
}

export interface OrganizationOptions {
  readonly name?: string;
  /** Part of the configuration, on top of the scripted servers'. */
  readonly config?: Record<string, unknown>;
  readonly people?: Partial<Record<'admin' | 'teacher' | 'student', string>>;
}

const PASSWORD = 'correct horse battery';

export async function startWorld(): Promise<World> {
  const template = await createTemplateDatabase('migrated', async (ownerUrl) => {
    await migrate(ownerUrl);
    await migrateRuns(ownerUrl);
  });
  const database = await createTestDatabase({ template });
  const [llm, kb, moodle, idp, site] = await Promise.all([
    startLlmServer(),
    startKbServer(),
    startMoodleServer(),
    startIdentityProvider(),
    startFramingSite(),
  ]);
  const environment = {
    DATABASE_URL: database.appUrl,
    LAMB_AUTH_SECRET: randomBytes(32).toString('base64'),
    LAMB_SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    LAMB_OUTBOUND_ALLOW: [llm.url, kb.url, moodle.url].map((url) => new URL(url).host).join(','),
    LAMB_EMBED_ORIGINS: site.url,
    LAMB_OIDC_PROVIDERS: JSON.stringify([
      {
        id: 'campus',
        name: 'Campus',
        organization: 'campus',
        discovery_url: `${idp.issuer}/.well-known/openid-configuration`,
        client_id: idp.clientId,
        client_secret: idp.clientSecret,
      },
    ]),
  };
  const webFolder = process.env['LAMB_WEB_FOLDER'];
  const server = await spawnServerProcess({
    ...environment,
    ...(webFolder === undefined ? {} : { LAMB_WEB_FOLDER: webFolder }),
  });
  const services = compose(readConfig({ ...environment, LAMB_LOG_LEVEL: 'silent' }));
  await createOrganization(services.db, { name: 'Campus', slug: 'campus' });
  let count = 0;

  async function addPerson(organizationId: string, slug: string, name: string, role: Role): Promise<Person> {
    const email = `${role}-${String((count += 1))}@${slug}.test`;
    const id = await createAccount(services, { email, name, password: PASSWORD, organizationId, role });
    const { key } = await createApiKey(services.db, {
      userId: id,
      organizationId,
      name: 'test',
      assistants: 'all',
      trustedGateway: false,
    });
    return { id, name, email, password: PASSWORD, key };
  }

  return {
    url: server.url,
    llm,
    kb,
    moodle,
    idp,
    site,
    async addOrganization({ name = 'North University', config = {}, people = {} } = {}) {
      const slug = `org-${randomBytes(4).toString('hex')}`;
      const id = await createOrganization(services.db, { name, slug });
      await withTenant(services.db, id, (tx) =>
        putOrganizationConfig(tx, services.secretBox, { ...testOrganizationConfig(llm, kb), ...config }),
      );
      const [admin, teacher, student] = await Promise.all([
        addPerson(id, slug, people.admin ?? 'Ana Ruiz', 'owner'),
        addPerson(id, slug, people.teacher ?? 'Maite Arana', 'member'),
        addPerson(id, slug, people.student ?? 'Joan Puig', 'end_user'),
      ]);
      return {
        id,
        name,
        slug,
        admin,
        teacher,
        student,
        addPerson: (personName, role) => addPerson(id, slug, personName, role),
        call: (person, method, path, body) => call(server.url, person, method, path, body),
      };
    },
    async addAssistants(organization, owner, count) {
      const rows = Array.from({ length: count }, (_, index) => ({
        owner_id: owner.id,
        name: `Assistant ${String(index).padStart(6, '0')}`,
        description: index % 3 === 0 ? '' : `Answers the questions of group ${String(index % 97)}, with the materials.`,
        assistant_type: index % 2 === 0 ? ('classic' as const) : ('multi_tool' as const),
        api_callback: JSON.stringify({ rag_processor: index % 4 === 0 ? 'simple_rag' : 'no_rag' }),
        updated_at: new Date(Date.UTC(2026, 0, 1) - index * 60_000),
      }));
      await withTenant(services.db, organization.id, async (tx) => {
        for (let start = 0; start < rows.length; start += 1000) {
          await tx
            .insertInto('lamb.assistants')
            .values(rows.slice(start, start + 1000))
            .execute();
        }
      });
    },
    async join(person, organization, role) {
      await services.db
        .insertInto('auth.member')
        .values({ organizationId: organization.id, userId: person.id, role, emailConfirmed: true })
        .execute();
    },
    async stop() {
      await server.stop();
      await services.close();
      await Promise.all([llm.stop(), kb.stop(), moodle.stop(), idp.stop(), site.stop()]);
      await database.drop();
    },
  };
}

async function call(url: string, person: Person, method: string, path: string, body?: unknown): Promise<unknown> {
  const isForm = body instanceof FormData;
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${person.key}`,
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
