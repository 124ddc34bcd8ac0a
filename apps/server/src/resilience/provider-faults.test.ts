import { numberTokens, type LlmReply } from '@lamb/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { streamCompletion } from '../completions/__fixtures__/stream-completion.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';

type Lane = 'direct' | 'durable';

let lamb: TestServer;
/** Those in the direct lane call nothing; the others may call a function. The hasty ones do not wait for long. */
let models: Record<Lane | `hasty ${Lane}` | 'ollama', string>;

beforeAll(async () => {
  lamb = await startTestServer();
  const collection = String(lamb.kb.addCollection('notes', [{ text: 'A force changes motion.' }]));
  const search = {
    type: 'simple_rag',
    mode: 'function',
    config: { collections: [collection], name: 'notes' },
  } as const;
  const create = async (name: string, tools: readonly (typeof search)[], metadata: Record<string, unknown>) =>
    (await createAssistant(lamb, lamb.north.teacher, { name, tools, metadata })).model;
  const hasty = { limits: { deadline_ms: 3000 } };
  models = {
    direct: await create('Direct', [], {}),
    durable: await create('Durable', [search], {}),
    'hasty direct': await create('Hasty direct', [], hasty),
    'hasty durable': await create('Hasty durable', [search], hasty),
    ollama: await create('Ollama', [search], { connector: 'ollama', llm: 'llama3.2:latest' }),
  };
});
afterAll(async () => lamb.stop());
beforeEach(() => lamb.llm.reset());

async function ask(model: string) {
  const messages = [{ role: 'user', content: 'What is a force?' }];
  const streamed = await streamCompletion(lamb, lamb.north.teacher, { model, messages });
  const error = streamed.chunks.find((chunk) => chunk.error !== undefined)?.error ?? readError(streamed.raw);
  const calls = streamed.events.flatMap((event) => (event.type === 'call.finished' ? [event] : []));
  return { ...streamed, code: error?.code, error, calls };
}

function readError(raw: string): { code: string; message: string } | undefined {
  return raw.startsWith('{') ? (JSON.parse(raw) as { error: { code: string; message: string } }).error : undefined;
}

describe.each<Lane>(['direct', 'durable'])('in the %s lane', (lane) => {
  test.each<[string, LlmReply, string, string]>([
    ['limits requests', { faults: { status: 429, retryAfterSeconds: 30 } }, 'provider_rate_limited', ''],
    ['hangs', { faults: { hangBeforeHeaders: true } }, 'deadline_exceeded', ''],
    ['hangs in its answer', { faults: { hangAfterChunks: 3 } }, 'deadline_exceeded', numberTokens(3)],
    ['breaks off in its answer', { faults: { cutAfterChunks: 3 } }, 'provider_stream_broken', numberTokens(3)],
    ['fails in its answer', { faults: { errorAfterChunks: 3 } }, 'provider_stream_broken', numberTokens(3)],
    ['ends without a reason', { finishReason: null }, 'provider_stream_broken', numberTokens(9)],
    ['sends broken JSON', { faults: { brokenJsonAtChunk: 4 } }, 'provider_stream_broken', numberTokens(3)],
  ])(
    'a provider that %s is asked once; the outcome has a name and what came is kept',
    async (_what, reply, code, text) => {
      lamb.llm.script({ tokens: 9, intervalMs: 2, ...reply, times: 'always' });
      const hasty = `hasty ${lane}` as const;
      const answer = await ask(models[code === 'deadline_exceeded' ? hasty : lane]);
      expect(answer.code).toBe(code);
      expect(answer.text).toBe(text);
      expect(answer.done).toBe(false);
      expect(lamb.llm.requests).toHaveLength(1);
      await vi.waitFor(() => {
        const [{ finishedAt, closedEarlyAt, cutByServer } = {}] = lamb.llm.requests;
        expect(finishedAt ?? closedEarlyAt ?? cutByServer).toBeDefined();
      });
    },
  );

  test('a provider that says when to come again: so is the client told', async () => {
    lamb.llm.script({ faults: { status: 429, retryAfterSeconds: 30 }, times: 'always' });
    const { raw } = await ask(models[lane]);
    expect(raw).toContain('"retry_after":30');
  });

  test('a provider that fails for a moment is asked again, and nobody notices', async () => {
    lamb.llm.script({ faults: { status: 500 } }, { tokens: 9 });
    expect(await ask(models[lane])).toMatchObject({ code: undefined, text: numberTokens(9), done: true });
    expect(lamb.llm.requests).toHaveLength(2);
  });
});

describe('a model that calls', () => {
  const query = (text: string) => ({ name: 'query_notes', arguments: { query: text } });

  test.each<[string, LlmReply, { outcome: string; problem?: unknown }[], number, ('durable' | 'ollama')?]>([
    [
      'with arguments that break off',
      { toolCalls: [query('force')], faults: { truncateToolArguments: true } },
      [{ outcome: 'failed', problem: expect.stringContaining('not valid JSON') }],
      0,
    ],
    [
      'a function that there is not',
      { toolCalls: [{ name: 'query_everything', arguments: {} }] },
      [{ outcome: 'refused', problem: expect.stringContaining('Known: query_notes') }],
      0,
    ],
    [
      'with a megabyte of arguments',
      { toolCalls: [query('x'.repeat(1_048_576))] },
      [{ outcome: 'failed', problem: expect.stringContaining('too long') }],
      0,
      // Its arguments come in one piece; in OpenAI's they would be a hundred thousand.
      'ollama',
    ],
    [
      'twice with one id',
      { toolCalls: [query('force'), query('motion')], faults: { toolCallIds: 'duplicate' } },
      [{ outcome: 'done' }, { outcome: 'done' }],
      2,
    ],
    [
      'without an id',
      { toolCalls: [query('force'), query('motion')], faults: { toolCallIds: 'missing' } },
      [{ outcome: 'done' }, { outcome: 'done' }],
      2,
    ],
  ])('%s is told what became of it, and answers', async (_what, reply, outcomes, searches, model = 'durable') => {
    lamb.kb.reset();
    lamb.llm.script({ text: 'Let me look.', ...reply }, { tokens: 9 });
    const answer = await ask(models[model]);
    expect(answer).toMatchObject({ code: undefined, text: `Let me look.${numberTokens(9)}`, done: true });
    expect(answer.calls).toMatchObject(outcomes);
    expect(new Set(answer.calls.map(({ call_id: id }) => id)).size).toBe(outcomes.length);
    expect(lamb.kb.requests).toHaveLength(searches);
    const { messages } = lamb.llm.requests.at(-1)?.body as { messages: { role: string; tool_call_id?: string }[] };
    const results = messages.filter(({ role }) => role === 'tool');
    expect(results.map(({ tool_call_id: id }) => id).toSorted()).toEqual(
      answer.calls.map(({ call_id: id }) => id).toSorted(),
    );
  });
});

// The last: from here on the provider is left alone.
test('a provider that keeps failing is spared, in both lanes, and the client is told for how long', async () => {
  lamb.llm.script({ faults: { status: 500 }, times: 'always' });
  const first = await ask(models.direct);
  expect(first.code).toBe('provider_unavailable');
  for (let calls = 0; calls < 20; calls += 1) await ask(models.direct);
  const reached = lamb.llm.requests.length;
  expect(reached).toBeLessThan(12);
  for (const lane of ['direct', 'durable'] as const) {
    const { code, error, raw, status, headers } = await ask(models[lane]);
    expect(code).toBe('provider_unavailable');
    expect(error?.message).toMatch(/^The model provider is paused for [1-5] seconds after repeated failures\./);
    expect(raw).toMatch(/"retry_after":[1-5]\b/);
    if (lane === 'direct')
      expect([status, headers.get('retry-after')]).toEqual([502, expect.stringMatching(/^[1-5]$/)]);
  }
  expect(lamb.llm.requests).toHaveLength(reached);
  const figures = await fetch(`${lamb.url}/metrics`).then((reply) => reply.text());
  expect(figures).toContain('lamb_breakers{kind="provider",connector="openai",state="open"} 1');
  expect(figures).toContain('lamb_breaker_openings_total{kind="provider",connector="openai"} 1');
  expect(figures).not.toContain(new URL(lamb.llm.url).host);
});
