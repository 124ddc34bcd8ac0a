import type { RunXray } from '@lamb/contract';
import { withTenant } from '@lamb/store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { uploadFile } from '../completions/__fixtures__/upload-file.ts';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { finishRun } from './__fixtures__/finish-run.ts';

let lamb: TestServer;
let teacher: Person;

beforeAll(async () => {
  lamb = await startTestServer();
  ({ teacher } = lamb.north);
  await uploadFile(lamb, teacher, 'notes.md', 'Cells divide by mitosis.');
  await uploadFile(lamb, teacher, 'more.md', 'Meiosis yields four.');
  await lamb.call(lamb.north.admin, 'PUT', '/lamb/v1/organizations/current/prices', {
    prices: [
      {
        connector: 'openai',
        model: 'gpt-4o-mini',
        prompt_micros: 2_000_000,
        completion_micros: 0,
      },
    ],
  });
});
afterAll(() => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
});

const messages = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hello!' },
  { role: 'user', content: 'How do cells divide?' },
];
const draft = {
  system_prompt: 'You are a tutor.',
  prompt_template: 'File:{file}More:{file_2}Asked:{user_input}',
  metadata: {
    assistant_type: 'multi_tool',
    llm: 'gpt-4o-mini',
    tools: [
      { type: 'single_file_rag', mode: 'context', config: { file_path: 'notes.md', max_chars: 5 } },
      { type: 'single_file_rag', mode: 'context', config: { file_path: 'more.md' } },
      { type: 'single_file_rag', mode: 'function', config: { file_path: 'more.md' } },
    ],
  },
  messages,
};

const tryOut = (body: unknown, person = teacher) => lamb.call(person, 'POST', '/lamb/v1/assistants/drafts/turns', body);
async function tryAndFinish(body: unknown): Promise<string> {
  const { status, body: run } = await tryOut(body);
  expect(status).toBe(202);
  const { id } = run as { id: string };
  expect(await finishRun(lamb, teacher, id)).toBe('finished');
  return id;
}
const readTrace = (person: Person, id: string) => lamb.call(person, 'GET', `/lamb/v1/runs/${id}/trace`);
const replay = (person: Person, id: string, body: unknown) =>
  lamb.call(person, 'POST', `/lamb/v1/runs/${id}/replay`, body);
const sentTo = (index: number) =>
  (lamb.llm.requests.at(index)?.body as
    { model: string; messages: { role: string; content: string }[] } | undefined) ?? {
    model: '',
    messages: [],
  };

describe('an assistant in a form', () => {
  test('is tried without being saved, and every message that was sent is there to see', async () => {
    const before = await lamb.call(teacher, 'GET', '/lamb/v1/assistants');
    lamb.llm.script({ toolCalls: [{ name: 'read_file', arguments: {} }] }, { text: 'By mitosis.' });
    const started = await tryOut(draft);
    expect(started).toMatchObject({
      status: 202,
      body: { assistant_id: null, chat_id: null, draft: true, replay_of: null },
    });
    const { id } = started.body as { id: string };
    expect(await finishRun(lamb, teacher, id)).toBe('finished');

    expect((await lamb.call(teacher, 'GET', `/lamb/v1/runs/${id}/answer`)).body).toMatchObject({
      text: 'By mitosis.',
      // They run at the same time: which is done first is theirs to decide.
      tools: [
        { tool: 'single_file_rag', ok: true },
        { tool: 'single_file_rag', ok: true },
      ],
      calls: [{ name: 'read_file', state: 'done' }],
      sources: [{ title: 'notes.md' }, { title: 'more.md' }, { title: 'more.md', placeholder: 'read_file' }],
    });
    const { status, body } = await readTrace(teacher, id);
    expect(status).toBe(200);
    const xray = body as RunXray;
    expect(xray).toMatchObject({ run_id: id, has_texts: true, model: 'gpt-4o-mini' });
    for (const [index, turn] of xray.turns.entries()) {
      const { messages: sent } = sentTo(index);
      expect(turn.messages).toBe(sent.length);
      const shown = xray.messages.slice(0, turn.messages);
      expect(shown.map(({ role }) => role)).toEqual(sent.map(({ role }) => role));
      for (const [place, { role, spans }] of shown.entries()) {
        if (role !== 'assistant') expect(spans.map(({ text }) => text).join('')).toBe(sent[place]?.content);
      }
    }
    expect(xray.turns).toMatchObject([
      { messages: 4, offered: ['read_file'], calls: [expect.any(String)], answer: '' },
      { messages: 6, offered: ['read_file'], calls: [], answer: 'By mitosis.', finish_reason: 'stop' },
    ]);
    const asked = xray.messages[3]?.spans ?? [];
    expect(asked.map(({ origin, tool, placeholder, text }) => [origin, tool, placeholder, text])).toEqual([
      ['template', undefined, undefined, 'File:'],
      ['tool', 'single_file_rag', 'file', '\n\nCells\n\n[Only the first 5 characters of this file are shown.]\n\n'],
      ['template', undefined, undefined, 'More:'],
      ['tool', 'single_file_rag', 'file_2', '\n\nMeiosis yields four.\n\n'],
      ['template', undefined, undefined, 'Asked:'],
      ['user_input', undefined, 'user_input', '\n\nHow do cells divide?\n\n'],
    ]);
    expect(asked.map(({ truncated }) => truncated)).toEqual([undefined, true, undefined, false, undefined, undefined]);
    for (const { tokens, cost_micros: cost } of asked) expect(cost).toBe(tokens * 2);
    expect(xray.tools.map(({ placeholder, truncated }) => [placeholder, truncated])).toEqual([
      ['file', true],
      ['file_2', false],
    ]);
    const [call] = xray.calls;
    expect(call).toMatchObject({
      name: 'read_file',
      tool: 'single_file_rag',
      arguments: '{}',
      result: 'Meiosis yields four.',
      outcome: 'done',
      truncated: false,
    });
    expect(xray.messages[5]?.spans).toMatchObject([
      { origin: 'call', call_id: call?.call_id, text: 'Meiosis yields four.' },
    ]);
    expect(xray.cost_micros).toBe(xray.turns.reduce((sum, { usage }) => sum + usage.prompt_tokens * 2, 0));
    expect((await lamb.call(teacher, 'GET', '/lamb/v1/assistants')).body).toEqual(before.body);

    const { admin, colleague, student } = lamb.north;
    for (const person of [admin, colleague, lamb.south.teacher]) expect((await readTrace(person, id)).status).toBe(404);
    expect((await readTrace(student, id)).status).toBe(403);
  });

  test('is held to what saving would refuse', async () => {
    const other = await createAssistant(lamb, lamb.north.colleague, { name: 'Not yours' });
    const foreign = await createAssistant(lamb, lamb.south.teacher, { name: 'Foreign', published: true });
    const refused = [
      [422, { ...draft, metadata: { ...draft.metadata, connector: 'nowhere' } }],
      [
        422,
        {
          ...draft,
          metadata: { ...draft.metadata, tools: [{ type: 'assistant', config: { assistant_id: other.id } }] },
        },
      ],
      [404, { ...draft, assistant_id: other.id }],
      [404, { ...draft, assistant_id: 999_999 }],
      [404, { ...draft, assistant_id: foreign.id }],
      [400, { ...draft, messages: [] }],
    ] as const;
    for (const [status, body] of refused) expect((await tryOut(body)).status).toBe(status);
    expect((await tryOut(draft, lamb.north.student)).status).toBe(403);
    expect(lamb.llm.requests).toEqual([]);
  });

  test('reaches what the person may reach, not what the owner of the saved one may', async () => {
    const { admin } = lamb.north;
    const { id: assistantId } = await createAssistant(lamb, teacher, { name: 'Edited', prompt_template: 'Saved.' });
    const { body } = await tryOut({ ...draft, assistant_id: assistantId }, admin);
    expect(body).toMatchObject({ assistant_id: assistantId, draft: true });
    await finishRun(lamb, admin, (body as { id: string }).id);
    expect(sentTo(-1).messages.at(-1)?.content).toBe('File:More:Asked:\n\nHow do cells divide?\n\n');
    // Whoever may edit the assistant does not see what somebody else tried.
    expect((await readTrace(teacher, (body as { id: string }).id)).status).toBe(404);
  });
});

describe('a replay', () => {
  test('leaves out one tool and lets the others stay where they are', async () => {
    const id = await tryAndFinish(draft);
    const first = sentTo(-1).messages;
    for (const without of [0, 'file']) {
      const { status, body } = await replay(teacher, id, { without_tools: [without] });
      expect([status, body]).toMatchObject([202, { replay_of: id, draft: true }]);
      await finishRun(lamb, teacher, (body as { id: string }).id);
      const again = sentTo(-1).messages;
      expect(again.slice(0, -1)).toEqual(first.slice(0, -1));
      expect(again.at(-1)?.content).toBe('File:More:\n\nMeiosis yields four.\n\nAsked:\n\nHow do cells divide?\n\n');
    }
    expect((await replay(teacher, id, { without_tools: ['nothing'] })).status).toBe(400);
    expect((await replay(teacher, id, { without_tools: [9] })).status).toBe(400);
  });

  test('leaves out a function, which the record of the run names by its place', async () => {
    const id = await tryAndFinish(draft);
    expect(lamb.llm.requests.at(-1)?.body).toMatchObject({ tools: [{ function: { name: 'read_file' } }] });
    const { functions } = (await readTrace(teacher, id)).body as RunXray;
    expect(functions).toEqual([{ index: 2, tool: 'single_file_rag', name: 'read_file' }]);
    const { status, body } = await replay(teacher, id, { without_tools: functions.map(({ index }) => index) });
    expect(status).toBe(202);
    const { id: again } = body as { id: string };
    await finishRun(lamb, teacher, again);
    expect(lamb.llm.requests.at(-1)?.body).not.toHaveProperty('tools');
    expect(sentTo(-1).messages).toEqual(sentTo(0).messages);
    expect((await readTrace(teacher, again)).body).toMatchObject({ functions: [] });
  });

  test('asks another model, and only one that the organisation offers', async () => {
    const id = await tryAndFinish(draft);
    const { status, body } = await replay(teacher, id, { model: { provider: 'openai', model: 'gpt-other' } });
    expect(status).toBe(202);
    await finishRun(lamb, teacher, (body as { id: string }).id);
    expect(sentTo(-1)).toMatchObject({ model: 'gpt-other', messages: sentTo(0).messages });
    const trace = await readTrace(teacher, (body as { id: string }).id);
    expect(trace.body).toMatchObject({ model: 'gpt-other', has_texts: true });
    const asked = lamb.llm.requests.length;
    for (const model of [
      { provider: 'nowhere', model: 'x' },
      { provider: 'ollama', model: 'not-offered' },
    ]) {
      expect((await replay(teacher, id, { model })).status).toBe(400);
    }
    expect(lamb.llm.requests.length).toBe(asked);
  });

  test('is for the person whose run it is, when they may edit the assistant', async () => {
    const { student, admin } = lamb.north;
    const saved = await createAssistant(lamb, teacher, { name: 'Saved', tools: [], published: true });
    const run = async (person: Person) => {
      const { body } = await lamb.call(person, 'POST', '/v1/chat/completions', {
        model: saved.model,
        messages,
        lamb: { background: true },
      });
      await finishRun(lamb, person, (body as { id: string }).id);
      return (body as { id: string }).id;
    };
    const own = await run(teacher);
    const { status, body } = await replay(teacher, own, {});
    expect([status, body]).toMatchObject([202, { replay_of: own, draft: false, assistant_id: saved.id }]);
    expect((await replay(admin, own, {})).status).toBe(404);
    expect((await replay(student, await run(student), {})).status).toBe(403);
    expect((await replay(lamb.north.colleague, await run(lamb.north.colleague), {})).status).toBe(403);
  });
});

test('of somebody else’s conversation with a verbose assistant, its owner sees sizes and no text', async () => {
  const verbose = await createAssistant(lamb, teacher, {
    name: 'Verbose',
    prompt_template: '{user_input}',
    metadata: { verbose: true },
    tools: [{ type: 'single_file_rag', mode: 'function', config: { file_path: 'more.md' } }],
    published: true,
  });
  lamb.llm.script({ toolCalls: [{ name: 'read_file', arguments: {} }] }, { text: 'private-answer' });
  const { body } = await lamb.call(lamb.north.student, 'POST', '/v1/chat/completions', {
    model: verbose.model,
    messages: [{ role: 'user', content: 'private-question' }],
    lamb: { background: true },
  });
  const { id } = body as { id: string };
  await finishRun(lamb, lamb.north.student, id);
  await expect.poll(async () => (await readTrace(teacher, id)).status, { timeout: 10_000 }).toBe(200);
  const { text, body: trace } = await readTrace(teacher, id);
  expect(trace).toMatchObject({
    has_texts: false,
    turns: [],
    messages: [{ role: 'user', spans: [{ origin: 'user_input', text: null, chars: 20 }] }],
    calls: [{ name: 'read_file', outcome: 'done', arguments: null, result: null }],
  });
  const stored = await withTenant(lamb.services.db, lamb.north.id, (tx) =>
    tx.selectFrom('lamb.run_traces').select('trace').where('run_id', '=', id).execute(),
  );
  expect(text + JSON.stringify(stored)).not.toMatch(/private|Meiosis/);
});
