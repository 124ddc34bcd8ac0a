import { Assistant, AssistantImportReport } from '@lamb/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;
let teacher: Person;

beforeAll(async () => {
  lamb = await startTestServer();
  ({ teacher } = lamb.north);
});
afterAll(async () => {
  await lamb.stop();
});

const path = '/lamb/v1/assistants';

async function create(body: Record<string, unknown>): Promise<Assistant> {
  const reply = await lamb.call(teacher, 'POST', path, body);
  expect(reply.status, reply.text).toBe(201);
  return Assistant.parse(reply.body);
}

async function exportOf(id: number): Promise<Record<string, unknown>> {
  const reply = await lamb.call(teacher, 'GET', `${path}/${id}/export`);
  expect(reply.status).toBe(200);
  return reply.body as Record<string, unknown>;
}

async function importFile(file: unknown, person = teacher) {
  const reply = await lamb.call(person, 'POST', `${path}/import`, file);
  expect(reply.status, reply.text).toBe(201);
  return AssistantImportReport.parse(reply.body);
}

/** What an import keeps of an assistant. */
const contentOf = ({ description, system_prompt, prompt_template, metadata, assistant_type, ...rest }: Assistant) => ({
  description,
  system_prompt,
  prompt_template,
  metadata,
  assistant_type,
  RAG_collections: rest.RAG_collections,
  RAG_Top_k: rest.RAG_Top_k,
});

/** Every column and every field that an installation of the older system writes, in its order. */
const exportedFields = [
  'id',
  'organization_id',
  'name',
  'description',
  'owner',
  'api_callback',
  'system_prompt',
  'prompt_template',
  'RAG_endpoint',
  'RAG_Top_k',
  'RAG_collections',
  'pre_retrieval_endpoint',
  'post_retrieval_endpoint',
  'created_at',
  'updated_at',
  'group_id',
  'group_name',
  'oauth_consumer_name',
  'published_at',
  'published',
  'metadata',
];

describe('an export', () => {
  it('is one flat object with everything an older installation reads', async () => {
    const { id } = await create({
      name: 'Exported',
      prompt_template: '{context}{user_input}',
      RAG_collections: '12,15',
      RAG_Top_k: 5,
      metadata: { rag_processor: 'simple_rag', llm: 'gpt-4o' },
    });
    const file = await exportOf(id);
    expect(Object.keys(file).toSorted()).toEqual(exportedFields.toSorted());
    for (const value of Object.values(file)) expect(typeof value === 'object' && value !== null).toBe(false);
    expect(file).toMatchObject({ RAG_collections: '12,15', RAG_Top_k: 5, published: false, owner: teacher.email });
    expect(file['metadata']).toBe(file['api_callback']);
    // The keys under which the older system looks for the classic settings.
    expect(JSON.parse(String(file['metadata']))).toMatchObject({
      rag_processor: 'simple_rag',
      llm: 'gpt-4o',
      connector: 'openai',
      prompt_processor: 'simple_augment',
    });
    await lamb.call(teacher, 'PUT', `${path}/${id}/publication`);
    expect(await exportOf(id)).toMatchObject({ published: true, published_at: expect.any(Number) });
  });

  it.each<[what: string, body: Record<string, unknown>]>([
    [
      'classic, with a knowledge base',
      { RAG_collections: '1,2', RAG_Top_k: 7, metadata: { rag_processor: 'simple_rag' } },
    ],
    ['classic, with a rubric', { metadata: { rag_processor: 'rubric_rag', rubric_id: 3, rubric_format: 'json' } }],
    ['classic, with a file', { metadata: { rag_processor: 'single_file_rag', file_path: 'a/b.md' } }],
    ['classic, without', { metadata: { rag_processor: 'No RAG', custom: { deep: [1, { two: null }] } } }],
    [
      'multi-tool',
      {
        prompt_template: '{one}{two}{user_input}',
        metadata: {
          assistant_type: 'multi_tool',
          verbose: true,
          limits: { deadline_ms: 9000 },
          tools: [
            { type: 'simple_rag', mode: 'context', enabled: true, placeholder: 'one', config: { collections: ['1'] } },
            { type: 'rubric_rag', mode: 'context', enabled: false, placeholder: 'two', config: { rubric_id: 'x' } },
          ],
        },
      },
    ],
  ])('comes back as it was: %s', async (what, body) => {
    const original = await create({ name: what, description: 'd', system_prompt: 's {x}', ...body });
    const { assistant } = await importFile(await exportOf(original.id), lamb.south.teacher);
    expect(assistant).toMatchObject({ name: what, owner: lamb.south.teacher.email, version: 1, published: false });
    expect(contentOf(assistant)).toEqual(contentOf(original));
    const here = await importFile(await exportOf(original.id));
    expect(here.assistant.name).toBe(`${what} (2)`);
  });
});

describe('a file of the older system', () => {
  const older = {
    id: 42,
    organization_id: 3,
    name: '7_Photosynthesis tutor',
    description: null,
    owner: 'maria@school.example',
    api_callback:
      '{"prompt_processor": "simple_augment", "connector": "openai", "llm": "gpt-4o-mini", "rag_processor": "simple_rag", "file_path": "", "rubric_id": "", "capabilities": {"vision": true, "image_generation": false}}',
    system_prompt: 'You explain photosynthesis.',
    prompt_template: 'Context: {context}\n\nQuestion: {user_input}',
    RAG_endpoint: '',
    RAG_Top_k: 3,
    RAG_collections: '12,15',
    pre_retrieval_endpoint: '',
    post_retrieval_endpoint: '',
    created_at: 1_730_000_000,
    updated_at: 1_730_000_001,
    group_id: 'g-1',
    group_name: 'Biology',
    oauth_consumer_name: 'moodle',
    published_at: 1_730_000_002,
    published: true,
    metadata:
      '{"prompt_processor": "simple_augment", "connector": "openai", "llm": "gpt-4o-mini", "rag_processor": "simple_rag", "file_path": "", "rubric_id": "", "capabilities": {"vision": true, "image_generation": false}}',
  };

  it('is taken with its classic settings, and what is dropped is named', async () => {
    const { assistant, dropped } = await importFile(older);
    expect(assistant).toMatchObject({
      owner: teacher.email,
      organization_id: lamb.north.id,
      description: '',
      assistant_type: 'classic',
      published: false,
      RAG_collections: '12,15',
      RAG_Top_k: 3,
      problems: [],
      metadata: {
        llm: 'gpt-4o-mini',
        capabilities: { vision: true, image_generation: false },
        tools: [{ type: 'simple_rag', placeholder: 'context', config: { collections: ['12', '15'], top_k: 3 } }],
      },
    });
    expect(assistant.id).not.toBe(42);
    expect(assistant.created_at).toBeGreaterThan(older.created_at);
    expect(dropped.toSorted()).toEqual(
      [
        'id',
        'organization_id',
        'owner',
        'api_callback',
        'RAG_endpoint',
        'pre_retrieval_endpoint',
        'post_retrieval_endpoint',
        'created_at',
        'updated_at',
        'group_id',
        'group_name',
        'oauth_consumer_name',
        'published_at',
        'published',
      ].toSorted(),
    );
  });

  it('needs a name, a system prompt and its metadata', async () => {
    for (const field of ['name', 'system_prompt', 'metadata'] as const) {
      const { [field]: _left, ...file } = older;
      const reply = await lamb.call(teacher, 'POST', `${path}/import`, file);
      expect(reply.status).toBe(400);
      expect(reply.body).toMatchObject({ details: { param: field } });
    }
    const parsed = await lamb.call(teacher, 'POST', `${path}/import`, { ...older, metadata: {} });
    expect(parsed.body).toMatchObject({ details: { param: 'metadata' } });
  });

  it('with metadata that cannot be used is refused with the reason', async () => {
    const reply = await lamb.call(teacher, 'POST', `${path}/import`, { ...older, metadata: '{"connector": "grok"}' });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({
      code: 'assistant_invalid',
      details: { problems: [{ severity: 'error', path: 'connector', code: 'unknown_connector' }] },
    });
  });

  it('leaves a trace in the audit log', async () => {
    const { assistant } = await importFile({ ...older, name: 'Audited import' });
    const log = await lamb.call(lamb.north.admin, 'GET', '/lamb/v1/organizations/current/audit?limit=1');
    expect(log.body).toMatchObject({
      items: [{ action: 'assistant.imported', subject: `assistant:${assistant.id}`, actor_id: teacher.id }],
    });
  });
});
