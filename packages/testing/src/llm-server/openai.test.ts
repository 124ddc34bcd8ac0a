import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { collect } from '../http/collect.ts';
import { embedText } from './embed-text.ts';
import { numberTokens } from './llm-reply.ts';
import { makePng } from './make-png.ts';
import { startLlmServer, type LlmServer } from './start-llm-server.ts';

let server: LlmServer;
let client: OpenAI;
const messages = [{ role: 'user' as const, content: 'how is the weather' }];

beforeAll(async () => {
  server = await startLlmServer({ key: 'sk-right' });
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-right', maxRetries: 0 });
});
beforeEach(() => {
  server.reset();
});
afterAll(() => server.stop());

describe('chat', () => {
  test('without a script the answer is numbered tokens', async () => {
    const completion = await client.chat.completions.create({ model: 'gpt-4o-mini', messages });
    expect(completion.choices[0]?.message.content).toBe(numberTokens(10));
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 10, total_tokens: 14 });
  });

  test('a stream has a role, deltas, a reason and the usage that was asked for', async () => {
    server.script({ chunks: ['Hel', 'lo'], usage: { promptTokens: 7, completionTokens: 2 } });
    const chunks = await collect(
      await client.chat.completions.create({
        model: 'gpt-4o-mini',
        messages,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    expect(chunks.map((chunk) => chunk.choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'Hel' },
      { content: 'lo' },
      {},
      undefined,
    ]);
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason ?? null)).toEqual([null, null, null, 'stop', null]);
    expect(chunks.map((chunk) => chunk.usage?.total_tokens ?? null)).toEqual([null, null, null, null, 9]);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  });

  test('without include_usage no chunk has a usage field', async () => {
    const response = await post('/v1/chat/completions', { model: 'm', messages, stream: true });
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(text).not.toContain('usage');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  test('tool calls come in pieces that the official client puts together', async () => {
    server.script({
      toolCalls: [
        { name: 'weather', arguments: { city: 'Donostia', days: 3 } },
        { id: 'call_own', name: 'clock', arguments: '{}' },
      ],
    });
    const runner = client.chat.completions.stream({ model: 'gpt-4o-mini', messages });
    const message = await runner.finalMessage();
    expect(message.content).toBeNull();
    expect(message.tool_calls).toMatchObject([
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Donostia","days":3}' } },
      { id: 'call_own', type: 'function', function: { name: 'clock', arguments: '{}' } },
    ]);
    const completion = await runner.finalChatCompletion();
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
  });

  test('the same tool calls without streaming', async () => {
    server.script({ text: 'Let me look.', toolCalls: [{ name: 'weather', arguments: { city: 'Donostia' } }] });
    const completion = await client.chat.completions.create({ model: 'gpt-4o-mini', messages });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Let me look.',
        tool_calls: [{ id: 'call_1', function: { arguments: '{"city":"Donostia"}' } }],
      },
    });
  });

  test('thinking is reasoning_content; a finish reason can be left out', async () => {
    server.script({ reasoning: 'hm well', text: 'yes', finishReason: null });
    const response = await post('/v1/chat/completions', { model: 'm', messages, stream: true });
    const text = await response.text();
    expect(text).toContain('{"reasoning_content":"hm"}');
    expect(text).not.toMatch(/"finish_reason":"/);
  });

  test('a wrong key and a missing model are refused as the provider does', async () => {
    const stranger = client.withOptions({ apiKey: 'sk-wrong' });
    await expect(stranger.chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      type: 'invalid_request_error',
    });
    const response = await post('/v1/chat/completions', { messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: 'you must provide a model parameter' } });
  });

  test('requests are recorded with headers and body', async () => {
    await client.chat.completions.create({ model: 'm', messages, temperature: 0.25, stop: ['END'] });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-right' },
      body: { model: 'm', temperature: 0.25, stop: ['END'], messages },
    });
  });
});

test('models are listed', async () => {
  const page = await client.models.list();
  expect(page.data.map((model) => model.id)).toContain('gpt-4o-mini');
});

describe('embeddings', () => {
  test('texts with common words are near, as floats and as base64', async () => {
    const input = ['the cat sat on the mat', 'a cat on a mat', 'quarterly tax report'];
    const asBase64 = await client.embeddings.create({ model: 'text-embedding-3-small', input, dimensions: 256 });
    const asFloats = await client.embeddings.create({
      model: 'text-embedding-3-small',
      input,
      dimensions: 256,
      encoding_format: 'float',
    });
    const vectors = asFloats.data.map((each) => each.embedding);
    expect(asBase64.data.map((each) => [...each.embedding])).toEqual(vectors);
    const [first = [], second = [], third = []] = vectors;
    expect(first).toHaveLength(256);
    expect(dot(first, second)).toBeGreaterThan(0.5);
    expect(Math.abs(dot(first, third))).toBeLessThan(0.2);
    expect(dot(first, first)).toBeCloseTo(1, 4);
    expect(first).toEqual([...embedText(input[0] ?? '', 256)]);
  });

  test('default sizes follow the model; an empty text has a vector', async () => {
    const large = await client.embeddings.create({ model: 'text-embedding-3-large', input: 'x' });
    expect(large.data[0]?.embedding).toHaveLength(3072);
    expect(dot([...embedText('', 8)], [...embedText('', 8)])).toBe(1);
  });

  test('what was embedded is counted; the same request under the same key counts once, a refused one not at all', async () => {
    server.script({ when: { path: '/v1/embeddings' }, faults: { status: 429 } });
    const body = { model: 'text-embedding-3-small', input: ['a', 'b'], dimensions: 8 };
    const keyed = { headers: { 'idempotency-key': 'k1' } };
    await expect(client.embeddings.create(body, { ...keyed, maxRetries: 0 })).rejects.toThrow();
    expect(server.embedded.size).toBe(0);
    const first = await client.embeddings.create(body, keyed);
    expect(await client.embeddings.create(body, keyed)).toEqual(first);
    await client.embeddings.create({ ...body, input: 'b' });
    expect(Object.fromEntries(server.embedded)).toEqual({ a: 1, b: 2 });
  });

  test('a script without a path is not used up by an embedding', async () => {
    server.script({ text: 'for the chat' });
    await client.embeddings.create({ model: 'text-embedding-3-small', input: 'x' });
    const completion = await client.chat.completions.create({ model: 'm', messages });
    expect(completion.choices[0]?.message.content).toBe('for the chat');
  });
});

test('images are real PNGs', async () => {
  const { data } = await client.images.generate({ model: 'gpt-image-1', prompt: 'a lamb', n: 2 });
  const images = (data ?? []).map((image) => Buffer.from(image.b64_json ?? '', 'base64'));
  expect(images).toEqual([makePng(0), makePng(1)]);
  expect(images[0]?.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
});

function dot(left: number[], right: number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

async function post(path: string, body: unknown): Promise<Response> {
  return await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-right', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
