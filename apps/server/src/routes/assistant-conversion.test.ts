import type { ConversionPreview } from '@lamb/contract';
import { getAssistant, putOrganizationConfig, withTenant } from '@lamb/store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { startTestServer, testOrganizationConfig, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;
let collection: string;

beforeAll(async () => {
  lamb = await startTestServer();
  collection = String(lamb.kb.addCollection('notes', [{ text: 'Cells divide.', metadata: { filename: 'a.pdf' } }]));
});
afterAll(() => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
});

let count = 0;
async function makeClassic(): Promise<number> {
  count += 1;
  const { id } = await createAssistant(lamb, lamb.north.teacher, {
    name: `Classic ${String(count)}`,
    system_prompt: 'You are a tutor.',
    prompt_template: 'Notes:{context}Asked:{user_input}{extra}',
    metadata: { rag_processor: 'simple_rag', my_key: { kept: true } },
    RAG_collections: collection,
    RAG_Top_k: 2,
  });
  return id;
}
const post = (id: number, what: string, body?: unknown, person = lamb.north.teacher) =>
  lamb.call(person, 'POST', `/lamb/v1/assistants/${String(id)}/${what}`, body);
const stored = (id: number) => withTenant(lamb.services.db, lamb.north.id, (tx) => getAssistant(tx, id));
async function promptOf(id: number): Promise<string> {
  await lamb.call(lamb.north.teacher, 'POST', `/lamb/v1/completions?assistant=${String(id)}`, {
    messages: [{ role: 'user', content: 'How do cells divide?' }],
  });
  const { messages } = lamb.llm.requests.at(-1)?.body as { messages: { content: string }[] };
  return messages.at(-1)?.content ?? '';
}

describe('a classic assistant', () => {
  test('is previewed without being changed', async () => {
    const id = await makeClassic();
    const before = await stored(id);
    const { status, body } = await post(id, 'convert/preview');
    const { metadata, differences } = body as ConversionPreview;
    expect(status).toBe(200);
    expect(metadata).toMatchObject({
      assistant_type: 'multi_tool',
      prompt_processor: 'multi_augment',
      my_key: { kept: true },
      tools: [
        {
          type: 'simple_rag',
          mode: 'context',
          placeholder: 'context',
          config: { collections: [collection], top_k: 2 },
        },
      ],
    });
    expect(differences).toMatchObject([
      { code: 'sources_left_out', message: expect.stringContaining('list of sources') },
      { code: 'unfilled', params: { name: 'extra' } },
    ]);
    expect(await stored(id)).toEqual(before);
  });

  test('is converted, and undone exactly', async () => {
    const id = await makeClassic();
    const before = await stored(id);
    const classicPrompt = await promptOf(id);
    const converted = await post(id, 'convert');
    expect(converted.status).toBe(200);
    expect(converted.body).toMatchObject({
      assistant_type: 'multi_tool',
      tools: ['simple_rag'],
      conversion: { converted_at: expect.any(Number) as number, changed_since: false },
    });
    // The columns stay, for older installations.
    expect(await stored(id)).toMatchObject({ ragCollections: collection, ragTopK: 2, type: 'multi_tool' });
    expect(classicPrompt).toContain('## Available Sources');
    expect(await promptOf(id)).toBe('Notes:\n\nCells divide.\n\nAsked:\n\nHow do cells divide?\n\n');

    const undone = await post(id, 'convert/undo', {});
    expect(undone.status).toBe(200);
    expect(undone.body).toMatchObject({ assistant_type: 'classic', conversion: null });
    const after = await stored(id);
    expect({ ...after, version: 0, updatedAt: 0 }).toEqual({ ...before, version: 0, updatedAt: 0 });
    expect(await promptOf(id)).toBe(classicPrompt);
  });

  test('that was changed since is undone only when those changes may go', async () => {
    const id = await makeClassic();
    const before = await stored(id);
    await post(id, 'convert');
    await lamb.call(lamb.north.teacher, 'PATCH', `/lamb/v1/assistants/${String(id)}`, {
      prompt_template: '{user_input}',
    });
    const refused = await post(id, 'convert/undo', {});
    expect(refused).toMatchObject({ status: 409, body: { code: 'conversion_outdated' } });
    expect(await stored(id)).toMatchObject({ type: 'multi_tool', promptTemplate: '{user_input}' });
    expect((await post(id, 'convert/undo', { discard_changes: true })).status).toBe(200);
    expect({ ...(await stored(id)), version: 0, updatedAt: 0 }).toEqual({ ...before, version: 0, updatedAt: 0 });
  });

  test('is converted once, by those who may edit it', async () => {
    const id = await makeClassic();
    expect((await post(id, 'convert', undefined, lamb.north.colleague)).status).toBe(404);
    expect((await post(id, 'convert/undo', {})).status).toBe(404);
    expect((await post(id, 'convert')).status).toBe(200);
    expect((await post(id, 'convert')).status).toBe(400);
    expect((await post(id, 'convert/preview')).status).toBe(400);
  });

  test('with an error is not converted', async () => {
    const id = await makeClassic();
    await withTenant(lamb.services.db, lamb.north.id, (tx) =>
      tx.updateTable('lamb.assistants').set({ api_callback: '{"connector":"nowhere"}' }).where('id', '=', id).execute(),
    );
    expect(await post(id, 'convert')).toMatchObject({ status: 422, body: { code: 'assistant_invalid' } });
    expect(await stored(id)).toMatchObject({ type: 'classic', metadata: '{"connector":"nowhere"}' });
  });
});

describe('an organisation that migrates on access', () => {
  const configure = async (features: Record<string, unknown>) => {
    const { db, secretBox } = lamb.services;
    const config = { ...testOrganizationConfig(lamb.llm, lamb.kb), features };
    await withTenant(db, lamb.north.id, (tx) => putOrganizationConfig(tx, secretBox, config));
  };
  const get = (id: number) => lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/assistants/${String(id)}`);
  const typeOf = async (id: number) => (await stored(id))?.type;

  test('has it off until it is switched on; then reading, using and changing convert, lists do not', async () => {
    const [read, used, changed] = await Promise.all([makeClassic(), makeClassic(), makeClassic()]);
    await get(read);
    await promptOf(used);
    expect([await typeOf(read), await typeOf(used)]).toEqual(['classic', 'classic']);

    await configure({ convert_on_access: true });
    try {
      const before = await stored(read);
      const listed = await lamb.call(lamb.north.teacher, 'GET', '/lamb/v1/assistants?limit=100');
      expect(listed.status).toBe(200);
      expect(await typeOf(read)).toBe('classic');
      expect((await get(read)).body).toMatchObject({ assistant_type: 'multi_tool' });
      expect(await stored(read)).toMatchObject({ updatedAt: before?.updatedAt, type: 'multi_tool' });
      expect(await promptOf(used)).toBe('Notes:\n\nCells divide.\n\nAsked:\n\nHow do cells divide?\n\n');
      await lamb.call(lamb.north.teacher, 'PATCH', `/lamb/v1/assistants/${String(changed)}`, { description: 'New' });
      expect([await typeOf(used), await typeOf(changed)]).toEqual(['multi_tool', 'multi_tool']);
      // It would be converted again right away.
      expect((await post(read, 'convert/undo', {})).status).toBe(403);
    } finally {
      await configure({});
    }
    expect((await post(read, 'convert/undo', {})).status).toBe(200);
    expect(await typeOf(read)).toBe('classic');
  });
});
