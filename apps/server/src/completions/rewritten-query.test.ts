import type { RunTrace } from '@lamb/contract';
import { withTenant } from '@lamb/store';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestServer, testOrganizationConfig, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { streamCompletion } from './__fixtures__/stream-completion.ts';

let lamb: TestServer;
let byTool: { model: string };
let byProcessor: { model: string };
const SMALL = 'tiny-fast-model';
const REWRITTEN = 'length of a vector';
const messages = [
  { role: 'user', content: 'What is a vector?' },
  { role: 'assistant', content: 'An arrow.' },
  { role: 'user', content: 'And its length?' },
];

beforeAll(async () => {
  lamb = await startTestServer();
  const { admin, teacher } = lamb.north;
  const config = testOrganizationConfig(lamb.llm, lamb.kb);
  const setups = {
    default: { ...config.setups['default'], small_fast_model: { provider: 'openai', model: SMALL } },
  };
  const stored = await lamb.call(admin, 'PUT', '/lamb/v1/organizations/current/config', { ...config, setups });
  expect(stored.status, stored.text).toBe(200);
  const [rewritten, asked] = ['rewritten', 'asked'].map((name) => String(lamb.kb.addCollection(name, [{ text: 'a' }])));
  const tools = [
    { type: 'simple_rag', config: { collections: [rewritten], rewrite_query: true } },
    { type: 'simple_rag', placeholder: 'other', config: { collections: [asked] } },
  ];
  const draft = { prompt_template: '{context}{other}{user_input}', tools, published: true };
  byTool = await createAssistant(lamb, teacher, { name: 'By tool', ...draft, metadata: { verbose: true } });
  byProcessor = await createAssistant(lamb, teacher, {
    name: 'By processor',
    ...draft,
    metadata: { verbose: true, prompt_processor: 'context_aware_augment' },
  });
});
afterAll(() => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
  lamb.kb.requests.length = 0;
});

const searched = () =>
  lamb.kb.requests
    .map(({ path, body }) => [/collections\/(\d+)/.exec(path)?.[1], (body as { query_text: string }).query_text])
    .toSorted()
    .map(([, query]) => query);
const modelsAsked = () => lamb.llm.requests.map(({ body }) => (body as { model: string }).model);

async function ask(model: string, conversation = messages) {
  const { status, raw, events } = await streamCompletion(lamb, lamb.north.student, { model, messages: conversation });
  expect(status, raw).toBe(200);
  const runId = events[0]?.run_id ?? '';
  const trace = await vi.waitFor(
    async () => {
      const reply = await lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/runs/${runId}/trace`);
      expect(reply.status).toBe(200);
      return reply.body as RunTrace;
    },
    { timeout: 10_000, interval: 50 },
  );
  return { trace, runId, said: events.flatMap((event) => (event.type === 'status' ? [event.text] : [])) };
}

describe('a follow-up question', () => {
  test('is completed by the small fast model for the tool that wants it, and for no other', async () => {
    lamb.llm.script({ text: REWRITTEN, when: { model: SMALL } });
    const { trace, said, runId } = await ask(byTool.model);
    expect(searched()).toEqual([REWRITTEN, 'And its length?']);
    expect(modelsAsked()).toEqual([SMALL, 'gpt-4o-mini']);
    expect(said).toContain('rewriting the question');
    expect(said.indexOf('rewriting the question')).toBeLessThan(
      said.findLastIndex((text) => text.startsWith('querying')),
    );
    expect(trace.query).toBe(REWRITTEN);
    const booked = await withTenant(lamb.services.db, lamb.north.id, (tx) =>
      tx.selectFrom('lamb.usage_ledger').select('model').where('run_id', '=', runId).execute(),
    );
    expect(booked.map(({ model }) => model).toSorted()).toEqual(['gpt-4o-mini', SMALL]);
  });

  test('is completed once for all by context_aware_augment', async () => {
    lamb.llm.script({ text: REWRITTEN, when: { model: SMALL } });
    const { trace } = await ask(byProcessor.model);
    expect(searched()).toEqual([REWRITTEN, REWRITTEN]);
    expect(modelsAsked()).toEqual([SMALL, 'gpt-4o-mini']);
    expect(trace.query).toBe(REWRITTEN);
  });

  test.each(['by tool', 'by processor'])('is searched as it is when the small model fails, %s', async (how) => {
    const { model } = how === 'by tool' ? byTool : byProcessor;
    lamb.llm.script({ faults: { status: 400 }, when: { model: SMALL } });
    const { trace } = await ask(model);
    expect(searched()).toEqual(['And its length?', 'And its length?']);
    expect(trace).not.toHaveProperty('query');
  });
});

test('a first question is not rewritten, and nobody says that it is', async () => {
  const { said } = await ask(byTool.model, [{ role: 'user', content: 'What is a vector?' }]);
  expect(modelsAsked()).toEqual(['gpt-4o-mini']);
  expect(said).not.toContain('rewriting the question');
});
