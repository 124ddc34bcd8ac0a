import { withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(() => lamb.stop());

const path = (id: number, more = '') => `/lamb/v1/assistants/${String(id)}${more}`;
async function list(person: Person, query: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await lamb.call(person, 'GET', `/lamb/v1/assistants?${query}`);
  expect(status).toBe(200);
  return (body as { items: Record<string, unknown>[] }).items;
}

describe('a list', () => {
  test('has what a card shows, and tells those who may only use an assistant nothing of its inside', async () => {
    const { teacher, colleague, student, admin } = lamb.north;
    const { id } = await createAssistant(lamb, teacher, {
      name: 'Essay evaluator',
      description: 'Reads essays',
      prompt_template: '{rubric}{user_input}',
      tools: [
        { type: 'rubric_rag', config: { rubric_id: 'r' } },
        { type: 'rubric_rag', placeholder: 'again', config: { rubric_id: 'r' } },
        { type: 'weather', mode: 'function' },
        { type: 'no_rag', enabled: false },
      ],
      published: true,
    });
    const classic = await createAssistant(lamb, teacher, { name: 'Plain' });
    await lamb.call(teacher, 'PUT', path(id, '/shares'), { emails: [colleague.email] });
    const shown = {
      id,
      name: 'Essay evaluator',
      description: 'Reads essays',
      owner: teacher.email,
      owner_name: 'teacher',
      assistant_type: 'multi_tool',
      // Told to everybody: one that calls functions itself cannot be asked by another assistant.
      tool_using: true,
      published: true,
    };
    const tools = ['rubric_rag', 'weather'];
    const find = async (person: Person, query: string) => (await list(person, query)).find((item) => item['id'] === id);
    expect(await find(teacher, 'scope=mine&type=multi_tool&search=ESSAY')).toMatchObject({
      ...shown,
      tools,
      is_owner: true,
      shared_with_me: false,
      shared: true,
    });
    expect(await find(colleague, 'scope=shared')).toMatchObject({
      ...shown,
      tools,
      is_owner: false,
      shared_with_me: true,
      shared: false,
    });
    expect(await find(admin, 'scope=organization')).toMatchObject({ tools, is_owner: false, shared: true });
    const seen = { tools: [], is_owner: false, shared_with_me: false, shared: false };
    expect(await find(student, 'scope=published')).toMatchObject({ ...shown, ...seen });
    expect(await find(teacher, 'type=classic')).toBeUndefined();
    const plain = (await list(teacher, 'type=classic')).find((item) => item['id'] === classic.id);
    expect(plain).toMatchObject({ tools: [], tool_using: false });
    expect((await list(student, 'scope=published')).map((item) => item['id'])).not.toContain(classic.id);
  });

  test('a card is for those who may use the assistant', async () => {
    const { admin, teacher, colleague, student } = lamb.north;
    const { id, model } = await createAssistant(lamb, teacher, {
      name: 'Seer',
      description: 'Sees',
      system_prompt: 'secret',
      metadata: { capabilities: { vision: true } },
    });
    expect((await lamb.call(student, 'GET', path(id, '/card'))).status).toBe(404);
    await lamb.call(teacher, 'PUT', path(id, '/publication'));
    const said = { id, name: 'Seer', description: 'Sees', owner_name: 'teacher', model };
    const card = { ...said, vision: true, workspace: false, published: true };
    // Who may change it may look into its prompts; a teacher to whom it is only published may not.
    for (const [person, mayLook] of [
      [student, false],
      [colleague, false],
      [teacher, true],
      [admin, true],
    ] as const) {
      expect((await lamb.call(person, 'GET', path(id, '/card'))).body).toEqual({ ...card, may_look: mayLook });
    }
    const editing = await createAssistant(lamb, teacher, {
      name: 'Editor',
      tools: [{ type: 'patch_file', mode: 'function', config: {} }],
      published: true,
    });
    expect((await lamb.call(student, 'GET', path(editing.id, '/card'))).body).toMatchObject({ workspace: true });
    expect((await lamb.call(lamb.south.student, 'GET', path(id, '/card'))).status).toBe(404);
  });
});

describe('a deleted assistant', () => {
  const restore = (person: Person, id: number) => lamb.call(person, 'POST', path(id, '/restore'));

  test('comes back as it was, with its shares and publication', async () => {
    const { teacher, colleague, student } = lamb.north;
    const { id } = await createAssistant(lamb, teacher, { name: 'Phoenix', published: true });
    await lamb.call(teacher, 'PUT', path(id, '/shares'), { emails: [colleague.email] });
    const before = await lamb.call(teacher, 'GET', path(id));
    expect((await restore(teacher, id)).status).toBe(404);
    await lamb.call(teacher, 'DELETE', path(id));
    expect((await lamb.call(teacher, 'GET', path(id))).status).toBe(404);
    expect((await restore(student, id)).status).toBe(403);
    expect((await restore(colleague, id)).status).toBe(403);
    expect((await restore(lamb.south.admin, id)).status).toBe(404);
    const restored = await restore(teacher, id);
    expect([restored.status, restored.body]).toEqual([200, before.body]);
    expect((await lamb.call(teacher, 'GET', path(id))).body).toEqual(before.body);
    expect((await lamb.call(student, 'GET', path(id, '/card'))).status).toBe(200);
  });

  test('does not come back over one that took its name, nor after a month', async () => {
    const { teacher } = lamb.north;
    const { id } = await createAssistant(lamb, teacher, { name: 'Twice' });
    await lamb.call(teacher, 'DELETE', path(id));
    const { id: other } = await createAssistant(lamb, teacher, { name: 'Twice' });
    expect(await restore(teacher, id)).toMatchObject({ status: 409, body: { code: 'name_taken' } });
    await lamb.call(teacher, 'DELETE', path(other));
    await withTenant(lamb.services.db, lamb.north.id, (tx) =>
      tx
        .updateTable('lamb.assistants')
        .set({ deleted_at: sql<Date>`now() - interval '31 days'` })
        .where('id', '=', id)
        .execute(),
    );
    expect((await restore(teacher, id)).status).toBe(404);
    expect((await restore(teacher, other)).status).toBe(200);
  });
});
