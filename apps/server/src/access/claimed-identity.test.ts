import { Assistant } from '@lamb/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../auth/__fixtures__/open-doors.ts';
import { sampleRubric } from '../routes/__fixtures__/sample-bodies.ts';
import { send } from '../routes/__fixtures__/send.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { makeWorld, type World } from './__fixtures__/make-world.ts';

const NORTH = 'canary-north-7f3a';

let lamb: TestServer;
let north: World;

beforeAll(async () => {
  lamb = await startTestServer();
  north = await makeWorld(lamb, lamb.north, NORTH);
});
afterAll(async () => {
  await lamb.stop();
});

describe('what a body says about identity', () => {
  const claims = () => ({
    id: Number(north.assistant),
    rubric_id: north.rubric,
    organization_id: lamb.north.id,
    organizationId: lamb.north.id,
    owner: lamb.north.teacher.email,
    owner_id: lamb.north.teacher.id,
    ownerId: lamb.north.teacher.id,
    user_id: lamb.north.teacher.id,
    role: 'owner',
    created_at: 1,
    updated_at: 1,
    published: true,
    version_of: 1,
  });

  it('is ignored when an assistant is made, changed or imported', async () => {
    const { teacher } = lamb.south;
    const now = Math.floor(Date.now() / 1000);
    const created = await lamb.call(teacher, 'POST', '/lamb/v1/assistants', { ...claims(), name: 'Claim' });
    expect(created.status).toBe(201);
    const assistant = Assistant.parse(created.body);
    const changed = await lamb.call(teacher, 'PATCH', `/lamb/v1/assistants/${assistant.id}`, {
      ...claims(),
      description: 'x',
    });
    const imported = await lamb.call(teacher, 'POST', '/lamb/v1/assistants/import', {
      ...claims(),
      name: 'Imported claim',
      system_prompt: '',
      metadata: '{}',
    });
    expect(imported.status).toBe(201);
    const { assistant: copy, dropped } = imported.body as { assistant: unknown; dropped: string[] };
    expect(dropped.toSorted()).toEqual(Object.keys(claims()).toSorted());
    for (const each of [assistant, Assistant.parse(changed.body), Assistant.parse(copy)]) {
      expect(each).toMatchObject({ owner: teacher.email, organization_id: lamb.south.id, published: false });
      expect(each.id).not.toBe(Number(north.assistant));
      expect(each.created_at).toBeGreaterThan(now - 60);
    }
    expect(changed.body).toMatchObject({ id: assistant.id });
  });

  it('is ignored when a rubric, a file or a key is made', async () => {
    const { teacher, student } = lamb.south;
    const rubric = await lamb.call(teacher, 'POST', '/lamb/v1/rubrics', { ...claims(), rubric: sampleRubric });
    expect(rubric.body).toMatchObject({ owner: teacher.email });
    const { rubric_id: rubricId, created_at: createdAt } = rubric.body as { rubric_id: string; created_at: number };
    expect(rubricId).not.toBe(north.rubric);
    expect(createdAt).toBeGreaterThan(1);
    const replaced = await lamb.call(teacher, 'PUT', `/lamb/v1/rubrics/${rubricId}`, {
      ...claims(),
      rubric: sampleRubric,
    });
    expect(replaced.body).toMatchObject({ rubric_id: rubricId, owner: teacher.email });

    const form = new FormData();
    form.append('id', north.file);
    form.append('owner', lamb.north.teacher.email);
    form.append('organization_id', lamb.north.id);
    form.append('file', new Blob(['mine']), 'claims.md');
    const headers = { authorization: `Bearer ${teacher.key}` };
    const file = await send(lamb, 'POST', '/lamb/v1/files', { headers, body: form });
    expect(file.body).toMatchObject({ owner: teacher.email, path: 'claims.md' });
    expect(file.body).not.toMatchObject({ id: north.file });

    const session = await signIn(lamb, student);
    const key = await send(lamb, 'POST', '/lamb/v1/keys', {
      headers: { ...session.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...claims(), name: 'claims' }),
    });
    expect(key.status).toBe(201);
    const me = await lamb.call(key.body as { key: string }, 'GET', '/lamb/v1/me');
    expect(me.body).toMatchObject({ user_id: student.id, organization_id: lamb.south.id, role: 'end_user' });
  });

  it('is ignored in the organisation’s configuration: the caller’s own is changed', async () => {
    const path = '/lamb/v1/organizations/current/config';
    const before = await lamb.call(lamb.north.admin, 'GET', path);
    const mine = await lamb.call(lamb.south.admin, 'GET', path);
    const { config } = mine.body as { config: Record<string, unknown> };
    const changed = await lamb.call(lamb.south.admin, 'PUT', path, { ...config, ...claims() });
    expect(changed.status).toBe(200);
    expect((await lamb.call(lamb.north.admin, 'GET', path)).text).toBe(before.text);
    expect((await lamb.call(lamb.south.admin, 'GET', '/lamb/v1/me')).body).toMatchObject({
      organization_id: lamb.south.id,
    });
    await lamb.call(lamb.south.admin, 'PUT', path, config);
  });
});

describe('an import with ids of another organisation', () => {
  it('drops and names them, and what it refers to stays out of reach', async () => {
    const exported = await lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/assistants/${north.assistant}/export`);
    const imported = await lamb.call(lamb.south.teacher, 'POST', '/lamb/v1/assistants/import', {
      ...(exported.body as Record<string, unknown>),
      api_key: 'sk-foreign-secret',
    });
    expect(imported.status).toBe(201);
    const { assistant, dropped } = imported.body as { assistant: unknown; dropped: string[] };
    for (const field of ['id', 'organization_id', 'owner', 'published', 'created_at', 'api_callback', 'api_key']) {
      expect(dropped, field).toContain(field);
    }
    expect(imported.text).not.toContain('sk-foreign-secret');
    const { id, owner } = Assistant.parse(assistant);
    expect(owner).toBe(lamb.south.teacher.email);
    lamb.llm.reset();
    const turn = await lamb.call(lamb.south.teacher, 'POST', `/lamb/v1/completions?assistant=${id}`, {
      messages: [{ role: 'user', content: 'Show me the notes.' }],
    });
    expect(turn.status).toBe(200);
    expect((turn.body as { lamb: { problems: unknown[] } }).lamb.problems).toHaveLength(2);
    expect(JSON.stringify(lamb.llm.requests)).not.toContain(`The notes of ${NORTH}`);
    await lamb.call(lamb.south.teacher, 'DELETE', `/lamb/v1/assistants/${id}`);
  });
});
