import { renderRubricForEvaluation, type Rubric, type RunEvent } from '@lamb/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { createRubric } from './__fixtures__/create-rubric.ts';
import { streamCompletion } from './__fixtures__/stream-completion.ts';
import { uploadFile } from './__fixtures__/upload-file.ts';

const NOTES = 'Newton wrote that a force changes motion.';
const TERMS = 'Clarity means that every sentence says one thing.';
const SYLLABUS = 'Week 1: forces.\nWeek 2: {rubric} stays as it is.';
const QUESTION = 'Grade my essay on force.';

let lamb: TestServer;
let notes: string;
let glossary: string;
let rubric: { id: string; rubric: Rubric };
let marker: { id: number; model: string };

beforeAll(async () => {
  lamb = await startTestServer();
  const { teacher } = lamb.north;
  notes = String(lamb.kb.addCollection('notes', [{ text: NOTES, metadata: { filename: 'newton.pdf', page: 7 } }]));
  glossary = String(lamb.kb.addCollection('glossary', [{ text: TERMS, metadata: { filename: 'terms.md' } }]));
  rubric = await createRubric(lamb, teacher, 'Essay rubric');
  await uploadFile(lamb, teacher, 'course/syllabus.md', SYLLABUS);
  marker = await createAssistant(lamb, teacher, {
    name: 'Marker',
    system_prompt: 'You mark essays.',
    prompt_template: 'Notes:{context}Words:{glossary}Rubric:{rubric}Syllabus:{file}Essay:{user_input}',
    // The one that waits for another is named first: the order of the list does not matter.
    tools: [
      {
        type: 'simple_rag',
        placeholder: 'glossary',
        config: { collections: [glossary], query: 'terms in: {rubric}' },
      },
      { type: 'simple_rag', config: { collections: [notes] } },
      { type: 'rubric_rag', config: { rubric_id: rubric.id } },
      { type: 'single_file_rag', config: { file_path: 'course/syllabus.md' } },
    ],
    published: true,
  });
});
afterAll(async () => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
  lamb.kb.reset();
});

const ask = () =>
  streamCompletion(lamb, lamb.north.student, {
    model: marker.model,
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello! Show me your essay.' },
      { role: 'user', content: QUESTION },
    ],
  });

/** An event in a word or two. */
function tell(event: RunEvent): string {
  switch (event.type) {
    case 'status':
      return event.text;
    case 'tool.started':
    case 'tool.finished':
      return `${event.type} ${event.placeholder}`;
    case 'source':
      return `source ${event.source.placeholder}`;
    default:
      return event.type;
  }
}

test('what happens is told in order: a tool starts as soon as what it refers to is there', async () => {
  // The notes come last, so that everything else has happened before them.
  lamb.kb.fail({ path: `/collections/${notes}/`, delayMs: 250 });
  lamb.llm.script({ tokens: 5 });
  const { events, chunks, done, text } = await ask();
  const story = events.map(tell);

  expect(story.slice(0, 7)).toEqual([
    'run.started',
    `querying knowledge base ${notes}`,
    'tool.started context',
    `generating rubric ${rubric.id}`,
    'tool.started rubric',
    'reading file course/syllabus.md',
    'tool.started file',
  ]);
  // The file takes its own time among these.
  expect(
    story.slice(7, -8).filter((line) => line !== 'tool.finished file' && line !== 'single_file_rag completed'),
  ).toEqual([
    'tool.finished rubric',
    'rubric_rag completed',
    `querying knowledge base ${glossary}`,
    'tool.started glossary',
    'tool.finished glossary',
    'simple_rag completed',
  ]);
  expect(story.slice(-8)).toEqual([
    'tool.finished context',
    'simple_rag completed',
    'merging tool outputs',
    'source context',
    'source rubric',
    'source file',
    'source glossary',
    'prompt.rendered',
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  expect(new Set(events.map(({ run_id }) => run_id)).size).toBe(1);

  const firstToken = chunks.findIndex((chunk) => chunk.choices?.[0]?.delta.content);
  expect(chunks.findLastIndex((chunk) => chunk.lamb !== undefined)).toBeLessThan(firstToken);
  expect({ done, text }).toEqual({ done: true, text: 't1 t2 t3 t4 t5' });
});

test('the model is sent exactly the filled template, each placeholder from its own tool', async () => {
  await ask();
  expect((lamb.llm.requests[0]?.body as { messages: unknown }).messages).toEqual([
    { role: 'system', content: 'You mark essays.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hello! Show me your essay.' },
    {
      role: 'user',
      content:
        `Notes:\n\n${NOTES}\n\n` +
        `Words:\n\n${TERMS}\n\n` +
        `Rubric:\n\n${renderRubricForEvaluation(rubric.rubric)}\n\n` +
        `Syllabus:\n\n${SYLLABUS}\n\n` +
        `Essay:\n\n${QUESTION}\n\n`,
    },
  ]);
});

test('each collection is asked with the right words, with the organisation’s key', async () => {
  await ask();
  const asked = lamb.kb.requests.map(({ method, path, query, body, headers }) => ({
    line: `${method} ${path}?${new URLSearchParams(query).toString()}`,
    body,
    authorization: headers.authorization,
  }));
  const settings = { top_k: 3, threshold: 0, plugin_params: {} };
  expect(asked).toEqual([
    {
      line: `POST /collections/${notes}/query?plugin_name=simple_query`,
      body: { query_text: QUESTION, ...settings },
      authorization: 'Bearer kb-token',
    },
    {
      line: `POST /collections/${glossary}/query?plugin_name=simple_query`,
      body: { query_text: `terms in: ${renderRubricForEvaluation(rubric.rubric)}`, ...settings },
      authorization: 'Bearer kb-token',
    },
  ]);
});

test('sources of all tools are merged, each with the tool and the placeholder it came through', async () => {
  const sources = [
    {
      title: 'newton.pdf',
      kind: 'knowledge',
      id: notes,
      page: 7,
      similarity: expect.any(Number),
      tool: 'simple_rag',
      placeholder: 'context',
    },
    { title: 'Essay rubric', kind: 'rubric', id: rubric.id, tool: 'rubric_rag', placeholder: 'rubric' },
    {
      title: 'course/syllabus.md',
      kind: 'file',
      id: 'course/syllabus.md',
      tool: 'single_file_rag',
      placeholder: 'file',
    },
    {
      title: 'terms.md',
      kind: 'knowledge',
      id: glossary,
      similarity: expect.any(Number),
      tool: 'simple_rag',
      placeholder: 'glossary',
    },
  ];
  const { events } = await ask();
  expect(events.flatMap((event) => (event.type === 'source' ? [event.source] : []))).toEqual(sources);

  const whole = await lamb.call(lamb.north.student, 'POST', `/lamb/v1/completions?assistant=${marker.id}`, {
    messages: [{ role: 'user', content: QUESTION }],
  });
  expect(whole.body).toMatchObject({ lamb: { sources, problems: [] } });
});

test('a turn takes as long as its slowest chain, not as long as all its tools', async () => {
  const search = (placeholder: string, collection: string, query?: string) => ({
    type: 'simple_rag',
    placeholder,
    config: { collections: [collection], ...(query === undefined ? {} : { query }) },
  });
  const wide = await createAssistant(lamb, lamb.north.teacher, {
    name: 'Wide',
    prompt_template: '{a}{b}{c}{d}{slow}{last}{user_input}',
    tools: [
      ...['a', 'b', 'c', 'd'].map((placeholder) => search(placeholder, notes)),
      search('slow', String(lamb.kb.addCollection('slow')), 'anything'),
      search('last', glossary, 'clarity of {a}'),
    ],
    published: true,
  });
  lamb.kb.fail(
    { path: `/collections/${notes}/`, times: 'always', delayMs: 200 },
    { path: `/collections/${glossary}/`, times: 'always', delayMs: 200 },
    { path: '/query', times: 'always', delayMs: 400 },
  );
  const { events } = await streamCompletion(lamb, lamb.north.student, {
    model: wide.model,
    messages: [{ role: 'user', content: QUESTION }],
  });
  const took = new Map(
    events.flatMap((event) =>
      event.type === 'tool.finished' ? [[event.placeholder, event.milliseconds] as const] : [],
    ),
  );
  const at = (type: RunEvent['type']) => events.find((event) => event.type === type)?.time ?? Number.NaN;
  const total = at('prompt.rendered') - at('run.started');
  const sum = [...took.values()].reduce((all, milliseconds) => all + milliseconds, 0);
  const chain = Math.max(took.get('slow') ?? 0, (took.get('a') ?? 0) + (took.get('last') ?? 0));
  expect(sum).toBeGreaterThan(1300);
  // 400 of 1400 ms. Waiting for whole levels would take 600, one after the other 1400.
  expect(total / chain).toBeLessThan(1.3);
  expect(total / sum).toBeLessThan(0.4);
});
