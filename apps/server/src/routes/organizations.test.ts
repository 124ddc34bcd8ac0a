import { Assistant, AuditPage, MemberPage, OrganizationConfigResource } from '@lamb/contract';
import { withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  startTestServer,
  testOrganizationConfig,
  type Person,
  type TestServer,
} from '../test-server/start-test-server.ts';

let lamb: TestServer;
let admin: Person;

beforeAll(async () => {
  lamb = await startTestServer();
  ({ admin } = lamb.north);
});
afterAll(async () => {
  await lamb.stop();
});

const path = '/lamb/v1/organizations/current';

async function readConfig(person = admin) {
  const reply = await lamb.call(person, 'GET', `${path}/config`);
  expect(reply.status).toBe(200);
  return { text: reply.text, ...OrganizationConfigResource.parse(reply.body) };
}

async function writeConfig(config: unknown, person = admin) {
  const reply = await lamb.call(person, 'PUT', `${path}/config`, config);
  expect(reply.status, reply.text).toBe(200);
  return { text: reply.text, ...OrganizationConfigResource.parse(reply.body) };
}

/** The key that the provider sees when somebody asks an assistant. */
async function seenKey(): Promise<string | undefined> {
  lamb.llm.reset();
  const created = await lamb.call(admin, 'POST', '/lamb/v1/assistants', { name: `Key ${Math.random()}` });
  const { id } = Assistant.parse(created.body);
  await lamb.call(admin, 'POST', `/lamb/v1/completions?assistant=${id}`, {
    messages: [{ role: 'user', content: 'Hello' }],
  });
  return lamb.llm.requests[0]?.headers.authorization;
}

const OPENAI_KEY = '/setups/default/providers/openai/api_key';

describe('the configuration', () => {
  it('never shows a secret, only that there is one', async () => {
    const { text, config, secrets } = await readConfig();
    expect(secrets).toEqual(['/kb_server/api_key', OPENAI_KEY]);
    expect(config.setups['default']?.providers['openai']).not.toHaveProperty('api_key');
    for (const secret of ['sk-test-openai', lamb.kb.token]) expect(text).not.toContain(secret);
    const { rows } = await withTenant(lamb.services.db, lamb.north.id, (tx) =>
      sql<{ row: string }>`
        select to_jsonb(s)::text as row from lamb.organization_settings s
        union all select encode(ciphertext, 'escape') from lamb.organization_secrets`.execute(tx),
    );
    expect(rows).toHaveLength(3);
    expect(rows.filter(({ row }) => row.includes('sk-test-openai') || row.includes(lamb.kb.token))).toEqual([]);
  });

  it('keeps a secret that is left out, replaces one that is given and forgets one that is empty', async () => {
    const { config } = await readConfig();
    expect(await seenKey()).toBe('Bearer sk-test-openai');
    await writeConfig(config);
    expect(await seenKey(), 'left out').toBe('Bearer sk-test-openai');

    const withKey = (api_key: string | null) => {
      const { openai, ...others } = config.setups['default']?.providers ?? {};
      return {
        ...config,
        setups: { default: { ...config.setups['default'], providers: { ...others, openai: { ...openai, api_key } } } },
      };
    };
    const replaced = await writeConfig(withKey('sk-second'));
    expect(replaced.text).not.toContain('sk-second');
    expect(await seenKey(), 'given').toBe('Bearer sk-second');

    const forgotten = await writeConfig(withKey(''));
    expect(forgotten.secrets).toEqual(['/kb_server/api_key']);
    expect(await seenKey(), 'empty').toBeUndefined();
    await writeConfig(testOrganizationConfig(lamb.llm, lamb.kb));
  });

  it('forgets a secret with the provider that it belonged to', async () => {
    const { config } = await readConfig();
    await writeConfig({ ...config, setups: {} });
    const back = await writeConfig(config);
    expect(back.secrets).toEqual(['/kb_server/api_key']);
    await writeConfig(testOrganizationConfig(lamb.llm, lamb.kb));
  });

  it('keeps what it does not know', async () => {
    const config = testOrganizationConfig(lamb.llm, lamb.kb);
    const extra = { ...config, version: '1.0', metadata: { system_managed: true }, features: { rag_enabled: true } };
    expect((await writeConfig(extra)).config).toMatchObject({
      version: '1.0',
      metadata: { system_managed: true },
      features: { rag_enabled: true },
    });
    await writeConfig(config);
  });

  it.each([
    ['setups that are a list', { setups: [] }, 'setups'],
    [
      'a provider that is text',
      { setups: { default: { providers: { openai: 'x' } } } },
      'setups.default.providers.openai',
    ],
    [
      'models that are text',
      { setups: { default: { providers: { openai: { models: 'gpt' } } } } },
      'setups.default.providers.openai.models',
    ],
    ['an address that is a number', { kb_server: { url: 7 } }, 'kb_server.url'],
  ])('refuses %s', async (_what, config, param) => {
    const before = await readConfig();
    const reply = await lamb.call(admin, 'PUT', `${path}/config`, config);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ details: { param } });
    expect((await readConfig()).text).toBe(before.text);
  });

  it('is the administrators’', async () => {
    for (const person of [lamb.north.teacher, lamb.north.student]) {
      expect((await lamb.call(person, 'GET', `${path}/config`)).status).toBe(403);
      expect((await lamb.call(person, 'PUT', `${path}/config`, { setups: {} })).status).toBe(403);
    }
  });

  it('shows creators which models there are, without addresses or keys', async () => {
    const reply = await lamb.call(lamb.north.teacher, 'GET', '/lamb/v1/completions/list');
    expect(reply.body).toMatchObject({
      connectors: {
        openai: { configured: true },
        ollama: { models: ['llama3.2:latest'], configured: true },
        bypass: { models: [], configured: true },
        banana_img: { configured: false },
      },
      default_model: { provider: 'openai', model: 'gpt-4o-mini' },
      prompt_processors: expect.arrayContaining(['simple_augment', 'multi_augment']),
      prompt_processor_details: expect.arrayContaining([
        expect.objectContaining({ name: 'moodle_augment', placeholders: ['moodle_user'] }),
      ]),
      knowledge_base: 'external',
      rag_processors: expect.arrayContaining(['simple_rag', 'rubric_rag', 'single_file_rag', 'no_rag']),
    });
    expect(reply.text).not.toContain(lamb.llm.url);
    expect(reply.text).not.toContain('sk-test');
  });
});

describe('the people', () => {
  it('are listed page by page, with their roles', async () => {
    const seen: unknown[] = [];
    let query = '';
    do {
      const page = MemberPage.parse((await lamb.call(admin, 'GET', `${path}/members?limit=3${query}`)).body);
      seen.push(...page.items.map(({ email, role, enabled }) => `${email} ${role} ${String(enabled)}`));
      query = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (query !== '');
    expect(seen.toSorted()).toEqual([
      'admin@north.test owner true',
      'colleague@north.test member true',
      'student@north.test end_user true',
      'teacher@north.test member true',
    ]);
  });

  it('who are disabled are shown as such', async () => {
    const { id } = lamb.north.colleague;
    const set = (enabled: boolean) =>
      lamb.services.db.updateTable('auth.user').set({ enabled }).where('id', '=', id).execute();
    await set(false);
    const { items } = MemberPage.parse((await lamb.call(admin, 'GET', `${path}/members`)).body);
    expect(items.find(({ user_id }) => user_id === id)).toMatchObject({ enabled: false });
    await set(true);
  });

  it('are for administrators only', async () => {
    expect((await lamb.call(lamb.north.teacher, 'GET', `${path}/members`)).status).toBe(403);
    expect((await lamb.call(lamb.north.student, 'GET', `${path}/members`)).status).toBe(403);
  });

  it('see which organisations they belong to', async () => {
    const reply = await lamb.call(lamb.north.student, 'GET', '/lamb/v1/organizations');
    expect(reply.body).toEqual({
      items: [{ id: lamb.north.id, name: 'north university', slug: 'north', role: 'end_user', current: true }],
    });
  });
});

describe('the usage', () => {
  it('is summed up over a time and an assistant', async () => {
    const { teacher } = lamb.south;
    const created = await lamb.call(teacher, 'POST', '/lamb/v1/assistants', { name: 'Used' });
    const { id } = Assistant.parse(created.body);
    lamb.llm.script({ text: 'Hi', usage: { promptTokens: 11, completionTokens: 4 }, times: 2 });
    for (let turn = 0; turn < 2; turn += 1) {
      await lamb.call(teacher, 'POST', `/lamb/v1/completions?assistant=${id}`, {
        messages: [{ role: 'user', content: 'Hello' }],
      });
    }
    const sum = async (query: string) =>
      (await lamb.call(lamb.south.admin, 'GET', `${path}/usage${query}`)).body as unknown;
    await vi.waitFor(
      async () =>
        expect(await sum(`?assistant=${id}`)).toMatchObject({
          runs: 2,
          prompt_tokens: 22,
          completion_tokens: 8,
          total_tokens: 30,
        }),
      { timeout: 10_000 },
    );
    const now = Math.floor(Date.now() / 1000);
    expect(await sum(`?from=${now - 60}&to=${now + 60}`)).toMatchObject({ from: now - 60, to: now + 60, runs: 2 });
    expect(await sum(`?to=${now - 3600}`)).toMatchObject({ runs: 0, total_tokens: 0 });
    expect(await sum(`?from=${now + 60}&to=${now}`)).toMatchObject({ runs: 0 });
    expect((await lamb.call(teacher, 'GET', `${path}/usage`)).status).toBe(403);
  });
});

describe('the audit log', () => {
  it('tells who did what, newest first, page by page, and nothing of the contents', async () => {
    const { teacher, admin: reader } = lamb.south;
    const created = await lamb.call(teacher, 'POST', '/lamb/v1/assistants', {
      name: 'Audited',
      system_prompt: 'canary-prompt',
    });
    const { id } = Assistant.parse(created.body);
    const address = `/lamb/v1/assistants/${id}`;
    await lamb.call(teacher, 'PATCH', address, { system_prompt: 'canary-changed' });
    await lamb.call(teacher, 'PUT', `${address}/shares`, { emails: [lamb.south.student.email] });
    await lamb.call(teacher, 'PUT', `${address}/publication`);
    await lamb.call(teacher, 'DELETE', `${address}/publication`);
    await lamb.call(teacher, 'DELETE', `${address}/publication`);
    await lamb.call(teacher, 'POST', `${address}/duplicate`);
    await lamb.call(teacher, 'DELETE', address);
    const refused = await lamb.call(lamb.south.colleague, 'DELETE', address);
    expect(refused.status).toBe(404);

    const entries: { action: string; actor_id: string | null; subject: string }[] = [];
    let query = '';
    do {
      const reply = await lamb.call(reader, 'GET', `${path}/audit?limit=2${query}`);
      expect(reply.text).not.toContain('canary');
      const page = AuditPage.parse(reply.body);
      entries.push(...page.items);
      query = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (query !== '');
    const ofThis = entries.filter(({ subject }) => subject === `assistant:${id}`);
    expect(ofThis.map(({ action }) => action)).toEqual([
      'assistant.deleted',
      'assistant.unpublished',
      'assistant.published',
      'assistant.shared',
      'assistant.changed',
      'assistant.created',
    ]);
    expect(new Set(ofThis.map(({ actor_id }) => actor_id))).toEqual(new Set([teacher.id]));
    expect(entries.map(({ action }) => action)).toContain('assistant.duplicated');
    expect((await lamb.call(teacher, 'GET', `${path}/audit`)).status).toBe(403);
  });

  it('has the configuration’s changes, without what was written', async () => {
    await writeConfig(
      { ...testOrganizationConfig(lamb.llm, lamb.kb), metadata: { description: 'canary' } },
      lamb.south.admin,
    );
    const reply = await lamb.call(lamb.south.admin, 'GET', `${path}/audit?limit=1`);
    expect(reply.body).toMatchObject({
      items: [{ action: 'organization.configured', subject: `organization:${lamb.south.id}` }],
    });
    expect(reply.text).not.toContain('canary');
  });
});
