import { Assistant, HeldKeyPage, KeyList, NewKey } from '@lamb/contract';
import { digestApiKey } from '@lamb/store';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { send } from '../routes/__fixtures__/send.ts';
import { makeKey, startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { signIn } from './__fixtures__/open-doors.ts';

let lamb: TestServer;
let sessions: Record<'admin' | 'teacher' | 'student', { cookie: string; origin: string }>;

beforeAll(async () => {
  lamb = await startTestServer();
  const [admin, teacher, student] = await Promise.all(
    [lamb.north.admin, lamb.north.teacher, lamb.north.student].map(async (each) => (await signIn(lamb, each)).headers),
  );
  if (!admin || !teacher || !student) throw new Error('Somebody could not sign in.');
  sessions = { admin, teacher, student };
});
afterAll(async () => {
  await lamb.stop();
});

async function createKey(who: keyof typeof sessions, body: Record<string, unknown>) {
  const reply = await postKey(who, body);
  expect(reply.status, reply.text).toBe(201);
  return NewKey.parse(reply.body);
}

async function postKey(who: keyof typeof sessions, body: Record<string, unknown>) {
  return await send(lamb, 'POST', '/lamb/v1/keys', {
    headers: { ...sessions[who], 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function createAssistant(owner: Person, body: Record<string, unknown>): Promise<number> {
  return Assistant.parse((await lamb.call(owner, 'POST', '/lamb/v1/assistants', body)).body).id;
}

const me = (key: string) => lamb.call({ key }, 'GET', '/lamb/v1/me');

describe('an API key', () => {
  it('is shown once, works as its holder, and is kept as a digest', async () => {
    const made = await createKey('teacher', { name: ' My script ' });
    expect(made).toMatchObject({
      name: 'My script',
      assistants: 'all',
      trusted_gateway: false,
      expires_at: null,
      start: made.key.slice(0, 9),
    });
    expect(made.key).toMatch(/^lamb_[\w-]{43}$/);
    const listed = await send(lamb, 'GET', '/lamb/v1/keys', { headers: sessions.teacher });
    const { key, ...shown } = made;
    expect(KeyList.parse(listed.body).items).toContainEqual(shown);
    expect(listed.text).not.toContain(key.slice(9));
    expect(listed.text).not.toContain(digestApiKey(key));

    expect((await me(key)).body).toMatchObject({ user_id: lamb.north.teacher.id, role: 'member', via: 'api_key' });

    const { rows } = await sql<{ row: string }>`select to_jsonb(k)::text as row from auth.apikey k`.execute(
      lamb.services.db,
    );
    expect(rows.filter(({ row }) => row.includes(key.slice(9)))).toEqual([]);
    expect(rows.filter(({ row }) => row.includes(digestApiKey(key)))).toHaveLength(1);
  });

  it('is listed to its holder only', async () => {
    const made = await createKey('teacher', { name: 'private' });
    for (const person of [lamb.north.colleague, lamb.north.admin, lamb.south.teacher]) {
      expect((await lamb.call(person, 'GET', '/lamb/v1/keys')).text).not.toContain(made.id);
    }
  });

  it('is seen with its holder and its last use by the administrators, who revoke it at once', async () => {
    const path = '/lamb/v1/organizations/current/keys';
    const { admin, teacher, student } = lamb.north;
    const made = await createKey('student', { name: 'overseen' });
    expect((await me(made.key)).status).toBe(200);
    await vi.waitFor(
      async () => {
        const reply = await lamb.call(admin, 'GET', path);
        const found = HeldKeyPage.parse(reply.body).items.find(({ id }) => id === made.id);
        expect(found).toMatchObject({ name: 'overseen', holder: { user_id: student.id, email: student.email } });
        expect(found?.last_used_at).toEqual(expect.any(Number));
        expect(reply.text).not.toContain(made.key.slice(9));
      },
      { timeout: 10_000 },
    );
    expect((await lamb.call(lamb.south.admin, 'GET', path)).text).not.toContain(made.id);
    expect((await lamb.call(lamb.south.admin, 'DELETE', `${path}/${made.id}`)).status).toBe(404);
    for (const person of [teacher, student]) {
      expect((await lamb.call(person, 'GET', path)).status).toBe(403);
      expect((await lamb.call(person, 'DELETE', `${path}/${made.id}`)).status).toBe(403);
    }
    expect((await me(made.key)).status).toBe(200);
    expect((await lamb.call(admin, 'DELETE', `${path}/${made.id}`)).status).toBe(204);
    expect((await me(made.key)).status).toBe(401);
    const { body } = await lamb.call(admin, 'GET', '/lamb/v1/organizations/current/audit');
    expect(JSON.stringify(body)).toContain(`key:${made.id}`);
  });

  it('cannot make keys', async () => {
    const reply = await lamb.call(lamb.north.admin, 'POST', '/lamb/v1/keys', { name: 'offspring' });
    expect(reply.status).toBe(403);
    expect(reply.body).toMatchObject({ title: 'A key cannot make keys. Sign in to make one.' });
  });

  it('expires', async () => {
    const { id: organizationId, teacher } = lamb.north;
    const day = await createKey('teacher', { name: 'a day', expires_in_days: 1 });
    expect(day.expires_at).toBeGreaterThan(Date.now() / 1000 + 86_000);
    const owner = { userId: teacher.id, organizationId };
    const expired = await makeKey(lamb.services, { ...owner, expiresAt: new Date(Date.now() - 1) });
    const refused = await me(expired);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ title: 'This API key is not known, or no longer valid.' });

    const brief = await makeKey(lamb.services, { ...owner, expiresAt: new Date(Date.now() + 1500) });
    expect((await me(brief)).status, 'it is in the cache now').toBe(200);
    await vi.waitFor(async () => expect((await me(brief)).status).toBe(401), { timeout: 10_000 });
  });

  it('revoked is closed at once, although it was just in the cache', async () => {
    const made = await createKey('teacher', { name: 'to be revoked' });
    expect((await me(made.key)).status).toBe(200);
    const revoked = await send(lamb, 'DELETE', `/lamb/v1/keys/${made.id}`, { headers: sessions.teacher });
    expect(revoked.status).toBe(204);
    expect((await me(made.key)).status).toBe(401);
    expect((await send(lamb, 'DELETE', `/lamb/v1/keys/${made.id}`, { headers: sessions.teacher })).status).toBe(404);
  });

  it('revoked by another process is closed as soon as the cache has forgotten it', async () => {
    const made = await createKey('teacher', { name: 'revoked elsewhere' });
    expect((await me(made.key)).status).toBe(200);
    await lamb.services.db.deleteFrom('auth.apikey').where('id', '=', made.id).execute();
    await vi.waitFor(async () => expect((await me(made.key)).status).toBe(401), { timeout: 10_000 });
  });

  it('switched off is closed', async () => {
    const made = await createKey('teacher', { name: 'switched off' });
    await lamb.services.db.updateTable('auth.apikey').set({ enabled: false }).where('id', '=', made.id).execute();
    expect((await me(made.key)).status).toBe(401);
  });

  it('leaves its making and revoking in the audit log, without the key', async () => {
    const made = await createKey('teacher', { name: 'audited' });
    await send(lamb, 'DELETE', `/lamb/v1/keys/${made.id}`, { headers: sessions.teacher });
    const log = await lamb.call(lamb.north.admin, 'GET', '/lamb/v1/organizations/current/audit?limit=2');
    expect(log.body).toMatchObject({
      items: [
        { action: 'key.revoked', subject: `key:${made.id}`, actor_id: lamb.north.teacher.id },
        { action: 'key.created', subject: `key:${made.id}`, details: { trusted_gateway: false } },
      ],
    });
    expect(log.text).not.toContain(made.key.slice(9));
  });
});

describe('a key for some assistants', () => {
  let mine: number;
  let other: number;
  let key: string;
  beforeAll(async () => {
    mine = await createAssistant(lamb.north.teacher, { name: 'In the key' });
    other = await createAssistant(lamb.north.teacher, { name: 'Not in the key' });
    key = (await createKey('teacher', { name: 'narrow', assistants: [mine] })).key;
  });

  const chat = (model: string) =>
    lamb.call({ key }, 'POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });

  it('talks to those, and the others do not exist for it', async () => {
    expect((await chat(`lamb_assistant.${mine}`)).status).toBe(200);
    expect((await chat('LAMB:In the key')).status).toBe(200);
    for (const model of [`lamb_assistant.${other}`, String(other), 'LAMB:Not in the key', 'Not in the key']) {
      const reply = await chat(model);
      expect(reply.status, model).toBe(404);
      expect(reply.body).toMatchObject({ error: { code: 'model_not_found' } });
    }
    expect((await lamb.call({ key }, 'GET', `/lamb/v1/assistants/${mine}`)).status).toBe(200);
    expect((await lamb.call({ key }, 'GET', `/lamb/v1/assistants/${other}`)).status).toBe(404);
    expect((await lamb.call({ key }, 'PATCH', `/lamb/v1/assistants/${other}`, { name: 'x' })).status).toBe(404);
  });

  it('lists those only', async () => {
    const models = await lamb.call({ key }, 'GET', '/v1/models');
    expect(models.body).toMatchObject({ data: [{ id: `lamb_assistant.${mine}` }] });
    const assistants = await lamb.call({ key }, 'GET', '/lamb/v1/assistants');
    expect(assistants.body).toMatchObject({ items: [{ id: mine }] });
    expect(models.text + assistants.text).not.toContain('Not in the key');
  });

  it('opens nothing else of its holder', async () => {
    const paths = ['/lamb/v1/rubrics', '/lamb/v1/files', '/lamb/v1/keys', '/lamb/v1/organizations'];
    for (const path of paths) expect((await lamb.call({ key }, 'GET', path)).status, path).toBe(403);
    expect((await lamb.call({ key }, 'POST', '/lamb/v1/assistants', { name: 'new' })).status).toBe(403);
    expect((await lamb.call({ key }, 'POST', `/lamb/v1/assistants/${mine}/duplicate`)).status).toBe(403);
    const ofAdmin = await createKey('admin', { name: 'narrow', assistants: [mine] });
    for (const path of ['config', 'members', 'usage', 'audit']) {
      const reply = await lamb.call(ofAdmin, 'GET', `/lamb/v1/organizations/current/${path}`);
      expect(reply.status, path).toBe(403);
    }
  });

  it('gives nobody more than they have', async () => {
    const ofStudent = await createKey('student', { name: 'hopeful', assistants: [mine] });
    const reply = await lamb.call(ofStudent, 'POST', `/lamb/v1/completions?assistant=${mine}`, {
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(reply.status).toBe(404);
    expect((await lamb.call(ofStudent, 'GET', '/v1/models')).body).toMatchObject({ data: [] });
  });
});

describe('a trusted gateway', () => {
  const forwarded = {
    'x-openwebui-user-id': 'owui-77',
    'x-openwebui-user-email': 'mia@students.test',
    'x-openwebui-user-name': 'Mia%20M%C3%BCller',
    'x-openwebui-user-role': 'admin',
  };
  let assistant: number;

  beforeAll(async () => {
    assistant = await createAssistant(lamb.north.teacher, {
      name: 'Who am I',
      prompt_template: 'I am {moodle_user}. {user_input}',
      metadata: { assistant_type: 'multi_tool', prompt_processor: 'moodle_augment', connector: 'openai' },
    });
    await lamb.call(lamb.north.teacher, 'PUT', `/lamb/v1/assistants/${assistant}/publication`);
  });
  beforeEach(() => {
    lamb.llm.reset();
  });

  /** What the model was told, when somebody asks through the gateway. */
  async function ask(door: Record<string, string>, headers: Record<string, string>): Promise<string> {
    const reply = await send(lamb, 'POST', '/v1/chat/completions', {
      headers: { 'content-type': 'application/json', ...door, ...headers },
      body: JSON.stringify({
        model: `lamb_assistant.${assistant}`,
        messages: [{ role: 'user', content: 'Who am I?' }],
      }),
    });
    expect(reply.status, reply.text).toBe(200);
    const { messages } = lamb.llm.requests.at(-1)?.body as { messages: { content: string }[] };
    return messages.at(-1)?.content ?? '';
  }

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it('is made by administrators only', async () => {
    for (const who of ['teacher', 'student'] as const) {
      const reply = await postKey(who, { name: 'gateway', trusted_gateway: true });
      expect(reply.status).toBe(403);
      expect(reply.body).toMatchObject({ title: 'Only administrators make keys for trusted gateways.' });
    }
    expect(await createKey('admin', { name: 'gateway', trusted_gateway: true })).toMatchObject({
      trusted_gateway: true,
    });
  });

  it('speaks for the person it names', async () => {
    const { key } = await createKey('admin', { name: 'gateway', trusted_gateway: true });
    expect(await ask(bearer(key), forwarded)).toContain('mia@students.test');
    expect(await ask(bearer(key), { 'x-openwebui-user-id': 'owui-77' })).toContain('owui-77');
    expect(await ask(bearer(key), {})).toContain(lamb.north.admin.email);
    const cyrillic = { 'x-openwebui-user-email': encodeURIComponent('мия@students.test') };
    expect(await ask(bearer(key), cyrillic)).toContain('мия@students.test');
    expect(await ask(bearer(key), { 'x-openwebui-user-email': '100%@students.test' })).toContain('100%@students.test');
    const tooLong = { 'x-openwebui-user-email': `${'a'.repeat(400)}@students.test` };
    expect(await ask(bearer(key), tooLong)).toContain(lamb.north.admin.email);
  });

  it('stays who it is in everything that is decided', async () => {
    const { key } = await createKey('admin', { name: 'gateway', trusted_gateway: true });
    const reply = await send(lamb, 'GET', '/lamb/v1/me', { headers: { ...bearer(key), ...forwarded } });
    expect(reply.body).toMatchObject({ user_id: lamb.north.admin.id, email: lamb.north.admin.email });
  });

  it('is the only one who is believed', async () => {
    const { teacher, student, admin } = lamb.north;
    const narrow = await createKey('admin', { name: 'no gateway', assistants: [assistant] });
    const doors: [who: Person, door: Record<string, string>][] = [
      [teacher, bearer(teacher.key)],
      [student, bearer(student.key)],
      [admin, bearer(admin.key)],
      [admin, bearer(narrow.key)],
      [teacher, sessions.teacher],
      [admin, sessions.admin],
    ];
    for (const [who, door] of doors) {
      const told = await ask(door, forwarded);
      expect(told).toContain(who.email);
      expect(told).not.toMatch(/mia|owui/);
    }
  });
});
