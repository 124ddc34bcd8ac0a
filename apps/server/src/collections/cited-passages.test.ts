import { Assistant, CollectionResource, Passage } from '@lamb/contract';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  startTestServer,
  testOrganizationConfig,
  type Person,
  type TestServer,
} from '../test-server/start-test-server.ts';
import { addDocument } from './__fixtures__/add-document.ts';

const SENTENCE = 'The exam is on the ninth of June.';

// Longer than what is awaited in a test.
vi.setConfig({ testTimeout: 30_000 });

let lamb: TestServer;

beforeAll(async () => {
  lamb = await startTestServer();
  // Without a knowledge-base server elsewhere, assistants search the organisation's own collections.
  for (const { admin } of [lamb.north, lamb.south]) {
    const config = { ...testOrganizationConfig(lamb.llm, lamb.kb), kb_server: {} };
    const put = await lamb.call(admin, 'PUT', '/lamb/v1/organizations/current/config', config);
    expect(put.status, put.text).toBe(200);
  }
});
beforeEach(() => {
  lamb.llm.reset();
});
afterAll(async () => {
  await lamb.stop();
});

interface Turn {
  readonly prompt: string;
  readonly sources: readonly { title: string; url: string; page?: number; heading_path?: string[] }[];
  readonly problems: readonly { message: string }[];
}

async function makeCollection(owner: Person, more: object = {}): Promise<CollectionResource> {
  const embedding = { provider: 'openai', model: 'text-embedding-3-small', dimensions: 64 };
  const reply = await lamb.call(owner, 'POST', '/lamb/v1/collections', { name: randomUUID(), embedding, ...more });
  expect(reply.status, reply.text).toBe(201);
  const collection = CollectionResource.parse(reply.body);
  const text = `# Course\n\n## Dates\n\n${SENTENCE}\n\n## Secrets\n\n${'Nobody may know this. '.repeat(200)}`;
  await addDocument(lamb, owner, collection.id, 'dates.md', text);
  return collection;
}

async function makeAssistant(owner: Person, collections: readonly number[]): Promise<number> {
  const reply = await lamb.call(owner, 'POST', '/lamb/v1/assistants', {
    name: randomUUID(),
    prompt_template: '{context}{user_input}',
    metadata: {
      assistant_type: 'multi_tool',
      connector: 'bypass',
      tools: [{ type: 'simple_rag', mode: 'context', enabled: true, config: { collections: collections.map(String) } }],
    },
  });
  const { id } = Assistant.parse(reply.body);
  await lamb.call(owner, 'PUT', `/lamb/v1/assistants/${id}/publication`);
  return id;
}

async function ask(person: Person, assistant: number, content = `When is the exam? ${randomUUID()}`): Promise<Turn> {
  const reply = await lamb.call(person, 'POST', `/lamb/v1/completions?assistant=${assistant}`, {
    messages: [{ role: 'user', content }],
  });
  expect(reply.status, reply.text).toBe(200);
  const { choices, lamb: outcome } = reply.body as { choices: unknown; lamb: Omit<Turn, 'prompt'> };
  return { prompt: JSON.stringify(choices), sources: outcome.sources, problems: outcome.problems };
}

describe('an assistant', () => {
  test('searches its owner’s collections for a student, who may open what it cites and nothing else', async () => {
    const { teacher, student } = lamb.north;
    const { id } = await makeCollection(teacher);
    const assistant = await makeAssistant(teacher, [id]);
    const { prompt, sources, problems } = await ask(student, assistant);
    expect(problems).toEqual([]);
    expect(prompt).toContain(SENTENCE);
    const source = sources.find(({ heading_path: headings }) => headings?.includes('Dates') === true);
    expect(source).toMatchObject({ title: expect.any(String) as string, heading_path: ['Course', 'Dates'] });
    const url = source?.url ?? '';
    const read = await lamb.call(student, 'GET', url);
    expect(read.status, read.text).toBe(200);
    const passage = Passage.parse(read.body);
    expect(passage.text).toContain(SENTENCE);
    expect(passage.after.length).toBeLessThanOrEqual(400);

    const link = new URL(url, lamb.url);
    const without = new URL(link);
    without.searchParams.delete('signature');
    const wider = new URL(link);
    wider.searchParams.set('end', String(Number(link.searchParams.get('end')) + 1000));
    const forged = new URL(link);
    forged.searchParams.set('signature', 'x'.repeat(32));
    for (const other of [without, wider, forged]) {
      expect((await lamb.call(student, 'GET', other.href)).status, other.search).toBe(404);
    }
    for (const end of ['', '/content', '/chunks']) {
      const path = `${link.pathname.replace(/\/passage$/, '')}${end}`;
      expect((await lamb.call(student, 'GET', path)).status, path).toBe(403);
    }
    expect((await fetch(link)).status, 'without a credential').toBe(401);
    expect((await lamb.call(lamb.south.student, 'GET', url)).status, 'in another organisation').toBe(404);
    expect((await lamb.call(lamb.south.teacher, 'GET', url)).status).toBe(404);
  });

  test('loses what its owner loses, at the next question', async () => {
    const { teacher, colleague, student } = lamb.north;
    const { id } = await makeCollection(teacher);
    const share = (emails: string[]) => lamb.call(teacher, 'PUT', `/lamb/v1/collections/${id}/shares`, { emails });
    await share([colleague.email]);
    const assistant = await makeAssistant(colleague, [id]);
    expect((await ask(student, assistant)).prompt).toContain(SENTENCE);
    await share([]);
    const { prompt, problems, sources } = await ask(student, assistant);
    expect(prompt).not.toContain(SENTENCE);
    expect(sources).toEqual([]);
    expect(problems).toMatchObject([{ message: expect.stringContaining(`There is no collection ${id}`) as string }]);
  });

  test('gets nothing of another organisation’s collection, however open, and is told the same as of one that is not there', async () => {
    const open = await makeCollection(lamb.south.teacher, { visibility: 'organization' });
    const [theirs, nobodys] = await Promise.all(
      [open.id, 999_999_999].map(async (id) => {
        const assistant = await makeAssistant(lamb.north.teacher, [id]);
        const turn = await ask(lamb.north.teacher, assistant, 'When is the exam?');
        return JSON.stringify(turn).replaceAll(String(id), '…');
      }),
    );
    expect(theirs).not.toContain(SENTENCE);
    expect(theirs).toBe(nobodys);
  });

  test('goes on with the collections that it may search', async () => {
    const { teacher } = lamb.north;
    const { id } = await makeCollection(teacher);
    const { prompt, problems } = await ask(teacher, await makeAssistant(teacher, [id, 999_999_999]));
    expect(prompt).toContain(SENTENCE);
    expect(problems).toMatchObject([{ message: expect.stringContaining('999999999') as string }]);
  });

  test('answers without the collection when the provider of vectors fails', async () => {
    const { teacher } = lamb.north;
    const { id } = await makeCollection(teacher);
    const assistant = await makeAssistant(teacher, [id]);
    lamb.llm.script({ when: { path: '/v1/embeddings' }, faults: { status: 401 } });
    const { prompt, problems } = await ask(teacher, assistant);
    expect(prompt).not.toContain(SENTENCE);
    expect(problems).toMatchObject([{ message: expect.stringContaining('could not be searched') as string }]);
  });
});
