import { Assistant, AssistantValidation } from '@lamb/contract';
import { createAssistant, withTenant } from '@lamb/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;
let teacher: Person;
let colleague: Person;

beforeAll(async () => {
  lamb = await startTestServer();
  ({ teacher, colleague } = lamb.north);
});
afterAll(async () => {
  await lamb.stop();
});

const path = '/lamb/v1/assistants';

async function create(body: Record<string, unknown>, owner = teacher): Promise<Assistant> {
  const reply = await lamb.call(owner, 'POST', path, body);
  expect(reply.status, reply.text).toBe(201);
  return Assistant.parse(reply.body);
}

async function read(id: number, person = teacher): Promise<Assistant> {
  return Assistant.parse((await lamb.call(person, 'GET', `${path}/${id}`)).body);
}

const rubricTool = { type: 'rubric_rag', mode: 'context', enabled: true, config: { rubric_id: '7' } };
const fileTool = { type: 'single_file_rag', mode: 'context', enabled: true, config: { file_path: 'notes.md' } };

describe('making an assistant', () => {
  it('takes a classic one as the older system sends it: columns, and metadata as text', async () => {
    const assistant = await create({
      name: '  History  ',
      description: 'Ask me about 1789',
      system_prompt: 'You are a historian.',
      prompt_template: 'Use {context} for {user_input}',
      RAG_collections: '12, 15,',
      RAG_Top_k: 5,
      metadata: JSON.stringify({
        prompt_processor: 'simple_augment',
        connector: 'openai',
        llm: 'gpt-4o-mini',
        rag_processor: 'simple_rag',
        file_path: '',
        custom: { kept: true },
      }),
    });
    expect(assistant).toMatchObject({
      name: 'History',
      owner: teacher.email,
      organization_id: lamb.north.id,
      assistant_type: 'classic',
      published: false,
      published_at: null,
      version: 1,
      RAG_collections: '12,15',
      RAG_Top_k: 5,
      problems: [],
      metadata: {
        _format_version: 2,
        connector: 'openai',
        llm: 'gpt-4o-mini',
        custom: { kept: true },
        tools: [
          {
            type: 'simple_rag',
            mode: 'context',
            placeholder: 'context',
            config: { collections: ['12', '15'], top_k: 5 },
          },
        ],
      },
    });
    expect(await read(assistant.id)).toEqual(assistant);
  });

  it('takes a multi-tool one, with old tool names, and gives the new ones back', async () => {
    const assistant = await create({
      name: 'Assessor',
      prompt_template: '{rubric} {file} {user_input}',
      metadata: {
        assistant_type: 'multi_tool',
        connector: 'openai_tool_use',
        tools: [
          { plugin: 'rubric', enabled: true, config: { rubric_id: 7 } },
          { type: 'single_file', enabled: true, config: { file_path: 'notes.md' } },
        ],
      },
    });
    expect(assistant).toMatchObject({
      assistant_type: 'multi_tool',
      problems: [],
      metadata: {
        connector: 'openai',
        prompt_processor: 'multi_augment',
        tools: [
          { type: 'rubric_rag', mode: 'context' },
          { type: 'single_file_rag', mode: 'context' },
        ],
      },
    });
  });

  it('takes one with nothing but a name', async () => {
    const assistant = await create({ name: 'Bare' });
    expect(assistant).toMatchObject({ assistant_type: 'classic', system_prompt: '', problems: [] });
  });

  it.each([
    ['no name', {}, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['a number as prompt', { name: 'x', system_prompt: 7 }, 'system_prompt'],
    ['no whole number as top k', { name: 'x', RAG_Top_k: 2.5 }, 'RAG_Top_k'],
    ['a list as metadata', { name: 'x', metadata: [] }, 'metadata'],
  ])('refuses %s', async (_what, body, param) => {
    const reply = await lamb.call(teacher, 'POST', path, body);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ code: 'invalid_request', details: { param } });
  });

  it.each<[what: string, metadata: unknown, problem: { path: string; message: RegExp }]>([
    ['metadata that is no JSON', '{oops', { path: '', message: /not valid JSON\. Until that is corrected/ }],
    ['metadata that is no object', '[1]', { path: '', message: /not a JSON object/ }],
    [
      'an unknown connector',
      { connector: 'opemai' },
      { path: 'connector', message: /no connector “opemai”.*“openai”|openai/ },
    ],
    ['an unknown processor', { prompt_processor: 'magic' }, { path: 'prompt_processor', message: /simple_augment/ }],
    [
      'an unknown tool',
      { assistant_type: 'multi_tool', tools: [{ ...rubricTool, type: 'rubrik_rag' }] },
      { path: 'tools.0.type', message: /rubric_rag/ },
    ],
    [
      'a tool without what it needs',
      { assistant_type: 'multi_tool', tools: [{ ...rubricTool, config: {} }] },
      { path: 'tools.0.config.rubric_id', message: /./ },
    ],
    [
      'two tools on one placeholder',
      {
        assistant_type: 'multi_tool',
        tools: [
          { ...rubricTool, placeholder: 'x' },
          { ...fileTool, placeholder: 'x' },
        ],
      },
      { path: 'tools.1.placeholder', message: /\{x\} is already filled by/ },
    ],
    [
      'a tool on the person’s message',
      { assistant_type: 'multi_tool', tools: [{ ...rubricTool, placeholder: 'user_input' }] },
      { path: 'tools.0.placeholder', message: /the person’s message/ },
    ],
    [
      'a placeholder outside the grammar',
      { assistant_type: 'multi_tool', tools: [{ ...rubricTool, placeholder: '__proto__' }] },
      { path: 'tools.0.placeholder', message: /lower-case letters/ },
    ],
    [
      'constructor as a placeholder',
      { assistant_type: 'multi_tool', tools: [{ ...rubricTool, placeholder: 'constructor' }] },
      { path: 'tools.0.placeholder', message: /not allowed/ },
    ],
    [
      'tools that wait for each other',
      {
        assistant_type: 'multi_tool',
        tools: [
          { type: 'simple_rag', mode: 'context', placeholder: 'a', config: { collections: ['1'], query: '{b}' } },
          { type: 'simple_rag', mode: 'context', placeholder: 'b', config: { collections: ['1'], query: '{a}' } },
        ],
      },
      { path: 'tools.0.config', message: /wait for each other/ },
    ],
    [
      'a file outside of the owner’s files',
      { assistant_type: 'multi_tool', tools: [{ ...fileTool, config: { file_path: '../../etc/passwd' } }] },
      { path: 'tools.0.config.file_path', message: /A file path is relative/ },
    ],
  ])('refuses %s, and says where', async (_what, metadata, { path: at, message }) => {
    const reply = await lamb.call(teacher, 'POST', path, { name: 'Wrong', metadata });
    expect(reply.status, reply.text).toBe(422);
    expect(reply.body).toMatchObject({
      code: 'assistant_invalid',
      title: expect.stringMatching(/^The assistant cannot be saved like this: /),
      next: 'Correct the problems in `details.problems`.',
      details: {
        problems: expect.arrayContaining([
          expect.objectContaining({ severity: 'error', path: at, message: expect.stringMatching(message) }),
        ]),
      },
    });
    const check = await lamb.call(teacher, 'POST', `${path}/validate`, { name: 'Wrong', metadata });
    expect(AssistantValidation.parse(check.body)).toMatchObject({
      valid: false,
      problems: expect.arrayContaining([
        expect.objectContaining({ severity: 'error', path: at, message: expect.stringMatching(message) }),
      ]),
    });
  });

  it('shows what may be a mistake, and saves it all the same', async () => {
    const assistant = await create({
      name: 'Warned',
      prompt_template: 'Only {nothing}',
      metadata: { assistant_type: 'multi_tool', tools: [rubricTool] },
    });
    const warnings = [
      { severity: 'warning', path: 'prompt_template', code: 'unfilled', params: { name: 'nothing' } },
      { severity: 'warning', path: 'tools.0.placeholder', code: 'unused', params: { name: 'rubric' } },
      { severity: 'warning', path: 'prompt_template', code: 'no_user_input' },
    ];
    expect(assistant.problems).toMatchObject(warnings);
    expect((await read(assistant.id)).problems).toEqual(assistant.problems);
    const check = await lamb.call(teacher, 'POST', `${path}/validate`, {
      name: 'Warned',
      prompt_template: 'Only {nothing}',
      metadata: { assistant_type: 'multi_tool', tools: [rubricTool] },
    });
    expect(check.body).toMatchObject({ valid: true, problems: warnings });
  });

  it('checks without saving', async () => {
    const before = await lamb.call(teacher, 'GET', `${path}?limit=100`);
    await lamb.call(teacher, 'POST', `${path}/validate`, { name: 'Never saved' });
    expect((await lamb.call(teacher, 'GET', `${path}?limit=100`)).text).toBe(before.text);
  });

  it('refuses a name that its owner has already, and only theirs', async () => {
    await create({ name: 'Same' });
    const reply = await lamb.call(teacher, 'POST', path, { name: 'Same' });
    expect(reply.status).toBe(409);
    expect(reply.body).toMatchObject({ code: 'name_taken', details: { name: 'Same' }, next: 'Choose another name.' });
    await create({ name: 'Same' }, colleague);
    await create({ name: 'Same' }, lamb.south.teacher);
  });
});

describe('changing an assistant', () => {
  it('changes what is given and keeps the rest', async () => {
    const before = await create({
      name: 'Before',
      description: 'stays',
      system_prompt: 'stays too',
      metadata: { llm: 'gpt-4o', custom: 1 },
    });
    const reply = await lamb.call(teacher, 'PATCH', `${path}/${before.id}`, { name: 'After' });
    expect(reply.status).toBe(200);
    const after = Assistant.parse(reply.body);
    expect(after).toEqual({ ...before, name: 'After', version: 2, updated_at: after.updated_at });
    expect(await read(before.id)).toEqual(after);
  });

  it('refuses to overwrite what somebody else has changed meanwhile', async () => {
    const { id, version } = await create({ name: 'Contended' });
    await lamb.call(teacher, 'PATCH', `${path}/${id}`, { description: 'first', version });
    const stale = await lamb.call(lamb.north.admin, 'PATCH', `${path}/${id}`, { description: 'second', version });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({
      code: 'stale_update',
      details: { version: 2 },
      next: 'Load it again and repeat your change.',
    });
    expect((await read(id)).description).toBe('first');
    const again = await lamb.call(lamb.north.admin, 'PATCH', `${path}/${id}`, { description: 'second', version: 2 });
    expect(again.body).toMatchObject({ description: 'second', version: 3 });
  });

  it('two at the same moment: one wins, the other is told', async () => {
    const { id, version } = await create({ name: 'Raced' });
    const replies = await Promise.all(
      ['left', 'right'].map((description) => lamb.call(teacher, 'PATCH', `${path}/${id}`, { description, version })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const winner = replies.find(({ status }) => status === 200);
    expect((await read(id)).description).toBe(Assistant.parse(winner?.body).description);
  });

  it('moves the older system’s columns into the tool that they mean', async () => {
    const { id } = await create({
      name: 'Columns',
      prompt_template: '{context}{user_input}',
      RAG_collections: '1',
      metadata: { rag_processor: 'simple_rag' },
    });
    await lamb.call(teacher, 'PATCH', `${path}/${id}`, { RAG_collections: '2, 3', RAG_Top_k: 9 });
    expect(await read(id)).toMatchObject({
      RAG_collections: '2,3',
      RAG_Top_k: 9,
      metadata: { tools: [{ config: { collections: ['2', '3'], top_k: 9 } }] },
    });
    await lamb.call(teacher, 'PATCH', `${path}/${id}`, { RAG_collections: null, description: 'x' });
    expect(await read(id)).toMatchObject({ RAG_collections: '2,3', description: 'x' });
    const written = { rag_processor: 'simple_rag', llm: 'gpt-4o' };
    await lamb.call(teacher, 'PATCH', `${path}/${id}`, { metadata: written, RAG_collections: '4' });
    expect(await read(id)).toMatchObject({
      RAG_collections: '4',
      metadata: { llm: 'gpt-4o', tools: [{ config: { collections: ['4'] } }] },
    });
  });

  it('refuses errors and names that are taken, and leaves it as it was', async () => {
    const before = await create({ name: 'Unharmed' });
    await create({ name: 'Taken' });
    const wrong = await lamb.call(teacher, 'PATCH', `${path}/${before.id}`, { metadata: { connector: 'nonsense' } });
    expect(wrong.status).toBe(422);
    const taken = await lamb.call(teacher, 'PATCH', `${path}/${before.id}`, { name: 'Taken' });
    expect(taken.status).toBe(409);
    expect(await read(before.id)).toEqual(before);
  });
});

describe('removing an assistant', () => {
  it('takes it out of every list and frees its name', async () => {
    const { id } = await create({ name: 'Gone' });
    await lamb.call(teacher, 'PUT', `${path}/${id}/publication`);
    expect((await lamb.call(teacher, 'DELETE', `${path}/${id}`)).status).toBe(204);
    for (const [method, address] of [
      ['GET', `${path}/${id}`],
      ['DELETE', `${path}/${id}`],
      ['POST', `${path}/${id}/duplicate`],
    ] as const) {
      expect((await lamb.call(teacher, method, address)).status).toBe(404);
    }
    expect((await lamb.call(lamb.north.student, 'GET', '/v1/models')).text).not.toContain(`lamb_assistant.${id}"`);
    expect((await lamb.call(teacher, 'GET', `${path}?search=Gone`)).body).toMatchObject({ items: [] });
    await create({ name: 'Gone' });
  });
});

describe('copying an assistant', () => {
  it('makes it the copier’s own, under a free name, neither published nor shared', async () => {
    const original = await create({ name: 'Original', system_prompt: 'secret', metadata: { llm: 'gpt-4o' } });
    await lamb.call(teacher, 'PUT', `${path}/${original.id}/publication`);
    await lamb.call(teacher, 'PUT', `${path}/${original.id}/shares`, { emails: [colleague.email] });
    const copies = [];
    for (const owner of [teacher, teacher, colleague]) {
      const reply = await lamb.call(owner, 'POST', `${path}/${original.id}/duplicate`);
      expect(reply.status).toBe(201);
      copies.push(Assistant.parse(reply.body));
    }
    expect(copies.map(({ name, owner }) => [name, owner])).toEqual([
      ['Original (2)', teacher.email],
      ['Original (3)', teacher.email],
      ['Original', colleague.email],
    ]);
    for (const copy of copies) {
      expect(copy).toMatchObject({
        published: false,
        version: 1,
        system_prompt: 'secret',
        metadata: original.metadata,
      });
    }
    const shares = await lamb.call(colleague, 'GET', `${path}/${copies[2]?.id ?? 0}/shares`);
    expect(shares.body).toEqual({ emails: [] });
  });
});

describe('stored metadata that cannot be read', () => {
  it.each([
    '{oops',
    '[]',
    'null',
    '"text"',
    '7',
    '{"tools":"x"}',
    '{"tools":[{"type":7}],"limits":{"deadline_ms":"x"}}',
  ])('%s is a problem that one sees, not a crash', async (metadata) => {
    const { id } = await withTenant(lamb.services.db, lamb.north.id, (tx) =>
      createAssistant(tx, { ownerId: teacher.id, name: `Broken ${metadata}`, metadata, systemPrompt: 'Help.' }),
    );
    const assistant = await read(id);
    if (metadata !== 'null') {
      expect(assistant.problems.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0);
    }
    expect(assistant.metadata).toMatchObject({ connector: 'openai', tools: [] });
    const listed = await lamb.call(teacher, 'GET', `${path}?search=${encodeURIComponent('Broken')}&limit=100`);
    expect(listed.text).toContain(`"id":${id},`);
    expect((await lamb.call(teacher, 'GET', '/v1/models')).text).toContain(`lamb_assistant.${id}"`);
    const exported = await lamb.call(teacher, 'GET', `${path}/${id}/export`);
    expect(exported.body).toMatchObject({ metadata });
    const turn = await lamb.call(teacher, 'POST', `/lamb/v1/completions?assistant=${id}`, {
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(turn.status).toBe(200);
    const repaired = await lamb.call(teacher, 'PATCH', `${path}/${id}`, { metadata: { llm: 'gpt-4o' } });
    expect(repaired.body).toMatchObject({ problems: [], metadata: { llm: 'gpt-4o' } });
  });
});
