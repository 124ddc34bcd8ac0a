import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { numberTokens } from './llm-reply.ts';
import { startLlmServer, type LlmServer } from './start-llm-server.ts';

let server: LlmServer;
const messages = [{ role: 'user', content: 'what is on the picture', images: ['aGVsbG8='] }];

beforeAll(async () => {
  server = await startLlmServer({ models: ['llama3.2:latest'] });
});
beforeEach(() => {
  server.reset();
});
afterAll(() => server.stop());

test('streams lines by default, the last with counts', async () => {
  server.script({ chunks: ['a', ' b'], reasoning: 'hm', finishReason: 'length' });
  const response = await post('/api/chat', { model: 'llama3.2', messages });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines).toMatchObject([
    { model: 'llama3.2', message: { role: 'assistant', content: '', thinking: 'hm' }, done: false },
    { message: { content: 'a' }, done: false },
    { message: { content: ' b' }, done: false },
    { message: { content: '' }, done: true, done_reason: 'length', prompt_eval_count: 6, eval_count: 3 },
  ]);
  expect(server.requests[0]?.body).toMatchObject({ messages: [{ images: ['aGVsbG8='] }] });
});

test('answers in one piece when told not to stream, with tool arguments as objects', async () => {
  server.script({ toolCalls: [{ name: 'weather', arguments: { city: 'Iruña' } }] });
  const response = await post('/api/chat', { model: 'llama3.2', messages, stream: false });
  expect(await response.json()).toMatchObject({
    message: { role: 'assistant', tool_calls: [{ function: { name: 'weather', arguments: { city: 'Iruña' } } }] },
    done: true,
    done_reason: 'stop',
  });
});

test('without a script the answer is numbered tokens', async () => {
  const response = await post('/api/chat', { model: 'llama3.2', messages, stream: false });
  expect(await response.json()).toMatchObject({ message: { content: numberTokens(10) } });
});

test('lists models and embeds', async () => {
  const tags = await fetch(`${server.url}/api/tags`);
  expect(await tags.json()).toMatchObject({ models: [{ name: 'llama3.2:latest', details: { format: 'gguf' } }] });
  const response = await post('/api/embed', { model: 'nomic-embed-text', input: ['one', 'two'] });
  const { embeddings } = (await response.json()) as { embeddings: number[][] };
  expect(embeddings.map((vector) => vector.length)).toEqual([768, 768]);
});

test('errors are a string', async () => {
  server.script({ faults: { status: 404, error: { message: 'model "x" not found, try pulling it first' } } });
  const response = await post('/api/chat', { model: 'x', messages });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ error: 'model "x" not found, try pulling it first' });
});

async function post(path: string, body: unknown): Promise<Response> {
  return await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) });
}
