import type { ChatCompletion, RunEvent } from '@lamb/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { streamCompletion } from './__fixtures__/stream-completion.ts';

let lamb: TestServer;
let notes: string;
let glossary: string;
let citing: { model: string };
let calling: { model: string };
let plain: { model: string };
const messages = [{ role: 'user', content: 'force motion mass' }];

beforeAll(async () => {
  lamb = await startTestServer();
  const { teacher } = lamb.north;
  const add = (name: string, ...texts: string[]) =>
    String(
      lamb.kb.addCollection(
        name,
        texts.map((text, index) => ({ text, metadata: { filename: `${name}.pdf`, page: index + 1 } })),
      ),
    );
  notes = add('notes', 'A force changes motion and acts on mass.', 'A force.');
  glossary = add('glossary', 'Mass: how hard a body is to move by a force.');
  const search = (collection: string, config: object = { citations: true }) => ({
    type: 'simple_rag',
    config: { collections: [collection], threshold: 0.01, ...config },
  });
  const context = [search(notes), { ...search(glossary), placeholder: 'glossary' }];
  const draft = { prompt_template: 'Notes:{context}Glossary:{glossary}Question:{user_input}', published: true };
  citing = await createAssistant(lamb, teacher, { name: 'Citing', ...draft, tools: context });
  calling = await createAssistant(lamb, teacher, {
    name: 'Calling',
    ...draft,
    tools: [...context, { ...search(notes, { citations: true, name: 'notes' }), mode: 'function' }],
  });
  plain = await createAssistant(lamb, teacher, { name: 'Plain', ...draft, tools: [search(notes, {})] });
});
afterAll(() => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
});

const promptOf = (index: number) =>
  (lamb.llm.requests[index]?.body as { messages: { role: string; content: string }[] }).messages;

const numbersOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.type === 'source'
      ? [[event.source.number, event.source.title, event.source.page, event.source.placeholder]]
      : [],
  );

const fromContext = [
  [1, 'notes.pdf', 1, 'context'],
  [2, 'notes.pdf', 2, 'context'],
  [3, 'glossary.pdf', 1, 'glossary'],
];

async function askWhole(model: string): Promise<ChatCompletion> {
  const reply = await lamb.call(lamb.north.student, 'POST', '/v1/chat/completions', { model, messages });
  expect(reply.status, reply.text).toBe(200);
  return reply.body as ChatCompletion;
}

describe('an assistant that cites', () => {
  const text = 'A force changes motion [1][3], see `a[8]`. It is blue [9].';

  test('gives the model numbered passages, and says which numbers of the answer point at a source', async () => {
    lamb.llm.script({ text });
    const streamed = await streamCompletion(lamb, lamb.north.student, { model: citing.model, messages });
    const prompt = promptOf(0).at(-1)?.content ?? '';
    expect(prompt).toContain(
      '[1] A force changes motion and acts on mass.\n(notes.pdf, p. 1)\n\n[2] A force.\n(notes.pdf, p. 2)',
    );
    expect(prompt).toContain('[3] Mass: how hard a body is to move by a force.\n(glossary.pdf, p. 1)');
    expect(prompt).toMatch(/cite it/);
    expect(numbersOf(streamed.events)).toEqual(fromContext);
    expect(streamed.text).toBe(text);
    expect(streamed.done).toBe(true);
    expect(streamed.events.at(-1)).toMatchObject({
      type: 'run.finished',
      citations: { cited: [1, 3], unknown: [9] },
    });
  });

  test('says the same in one reply, in the field of ours only', async () => {
    lamb.llm.script({ text });
    const { choices, lamb: ours } = await askWhole(citing.model);
    expect(choices[0]?.message.content).toBe(text);
    expect(ours.sources.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(ours.citations).toEqual({ cited: [1, 3], unknown: [9] });
  });

  test('says nothing of it to a client that wants no events', async () => {
    lamb.llm.script({ text });
    const body = { model: citing.model, messages, lamb: { status: 'none' } };
    const { raw, text: said } = await streamCompletion(lamb, lamb.north.student, body);
    expect(said).toBe(text);
    expect(raw).not.toContain('citations');
  });

  test('goes on counting when the model searches by itself, streaming and not', async () => {
    const script = [
      {
        toolCalls: [
          { id: 'a', name: 'query_notes', arguments: { query: 'motion' } },
          { id: 'b', name: 'query_notes', arguments: { query: 'acts' } },
        ],
      },
      { text: 'Both [1] and [4, 5], not [6].' },
    ];
    lamb.llm.script(...script);
    const streamed = await streamCompletion(lamb, lamb.north.student, { model: calling.model, messages });
    const found = [
      [4, 'notes.pdf', 1, 'query_notes'],
      [5, 'notes.pdf', 1, 'query_notes'],
    ];
    expect(numbersOf(streamed.events)).toEqual([...fromContext, ...found]);
    expect(streamed.events.at(-1)).toMatchObject({ citations: { cited: [1, 4, 5], unknown: [6] } });
    const told = promptOf(1).filter(({ role }) => role === 'tool');
    expect(told.map(({ content }) => /^\[\d\] .*$/m.exec(content)?.[0])).toEqual([
      '[4] A force changes motion and acts on mass.',
      '[5] A force changes motion and acts on mass.',
    ]);
    lamb.llm.script(...script);
    const { lamb: ours } = await askWhole(calling.model);
    expect(ours.sources.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(ours.citations).toEqual({ cited: [1, 4, 5], unknown: [6] });
  });
});

test('an assistant that asks one that cites gets its markers in numbers of its own', async () => {
  const { id } = await createAssistant(lamb, lamb.north.teacher, {
    name: 'Expert',
    prompt_template: '{context}{user_input}',
    tools: [{ type: 'simple_rag', config: { collections: [glossary], citations: true } }],
  });
  const { model } = await createAssistant(lamb, lamb.north.teacher, {
    name: 'Asking',
    prompt_template: '{context}{user_input}',
    tools: [
      { type: 'simple_rag', config: { collections: [notes], threshold: 0.01, citations: true } },
      { type: 'assistant', mode: 'function', config: { assistant_id: id, name: 'expert' } },
    ],
    published: true,
  });
  lamb.llm.script(
    { toolCalls: [{ name: 'expert', arguments: { query: 'mass?' } }] },
    { text: 'Mass resists [1], and more [7].' },
    { text: 'As the expert says [3].' },
  );
  const { lamb: ours } = await askWhole(model);
  expect(promptOf(2).at(-1)?.content).toBe('Mass resists [3], and more .');
  expect(ours.sources.map(({ number, title }) => [number, title])).toEqual([
    [1, 'notes.pdf'],
    [2, 'notes.pdf'],
    [3, 'glossary.pdf'],
  ]);
  expect(ours.citations).toEqual({ cited: [3], unknown: [] });
});

test('an assistant that was not told to cite is left alone', async () => {
  lamb.llm.script({ text: 'A list [1].' });
  const { lamb: ours } = await askWhole(plain.model);
  expect(promptOf(0).at(-1)?.content).not.toMatch(/\[1\]|cite/);
  expect(ours).not.toHaveProperty('citations');
  expect(ours.sources[0]).not.toHaveProperty('number');
});
