import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { streamCompletion } from '../completions/__fixtures__/stream-completion.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';

/** What a token, a title or an error might hold to pass for something else. */
const hostile = [
  'CR\rLF\nCRLF\r\nboth',
  'line\u2028paragraph\u2029next\u0085end',
  'vertical\vform\ffile\u001cgroup\u001drecord\u001e',
  'before\n\ndata: [DONE]\n\nafter',
  '\r\rdata: {"choices":[{"index":0,"delta":{"content":"forged"}}]}\r\r',
  'event: error\ndata: {"error":{"message":"forged"}}\n\n',
  '\n\n: comment\nid: 7\nretry: 1\n\n',
  '"}],"lamb":{"type":"status"}',
  '\\u2028 \\n \\" \u0000 \ufeff 😀',
];
/** Everything that some client's way of reading lines takes for the end of one. */
// eslint-disable-next-line no-control-regex -- some of them are control characters
const lineEnd = /\r\n|[\r\n\v\f\u001c-\u001e\u0085\u2028\u2029]/;

let lamb: TestServer;
let model: string;

beforeAll(async () => {
  lamb = await startTestServer();
  const collection = lamb.kb.addCollection(
    'notes',
    hostile.map((filename) => ({ text: 'force', metadata: { filename } })),
  );
  ({ model } = await createAssistant(lamb, lamb.north.teacher, {
    name: 'Hostile',
    prompt_template: '{context}{user_input}',
    tools: [{ type: 'simple_rag', config: { collections: [String(collection)], top_k: hostile.length } }],
  }));
});
afterAll(async () => lamb.stop());

const messages = [{ role: 'user' as const, content: 'force' }];
const ask = (more: Record<string, unknown> = {}) =>
  streamCompletion(lamb, lamb.north.teacher, { model, messages, ...more });

/** The payloads, if the stream is frames of one line each and nothing else. */
function readStrictly(raw: string): unknown[] {
  const lines = raw.split(lineEnd);
  const frames = lines.filter((_line, index) => index % 2 === 0).slice(0, -1);
  expect(lines.filter((_line, index) => index % 2 === 1).every((line) => line === '')).toBe(true);
  expect(frames.every((line) => line.startsWith('data: '))).toBe(true);
  const payloads = frames.map((line) => line.slice('data: '.length));
  expect(payloads.indexOf('[DONE]')).toBe(payloads.length - 1);
  return payloads.slice(0, -1).map((payload) => JSON.parse(payload) as unknown);
}

test.each(['text', 'reasoning'] as const)('whatever the model’s %s holds, it stays in its frame', async (kind) => {
  const said = hostile.join('');
  lamb.llm.script(kind === 'text' ? { chunks: hostile } : { reasoning: said, text: '.' });
  const { raw, chunks } = await ask();
  readStrictly(raw);
  const field = kind === 'text' ? 'content' : 'reasoning_content';
  expect(chunks.map((chunk) => chunk.choices?.[0]?.delta[field] ?? '').join('')).toBe(said);
});

test('the official client gets the same text, and only that', async () => {
  lamb.llm.script({ chunks: hostile });
  const client = new OpenAI({ baseURL: `${lamb.url}/v1`, apiKey: lamb.north.teacher.key });
  let text = '';
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? '';
  }
  expect(text).toBe(hostile.join(''));
});

test('the titles of sources stay in their events', async () => {
  const { raw, events } = await ask();
  readStrictly(raw);
  const titles = events.flatMap((event) => (event.type === 'source' ? [event.source.title] : []));
  expect(titles.toSorted()).toEqual(hostile.map((title) => title.trim()).toSorted());
});

test('what a provider says about its failure stays in the error', async () => {
  lamb.llm.script({ tokens: 3, faults: { errorAfterChunks: 2, error: { message: hostile.join('') } } });
  const { raw, chunks } = await ask();
  readStrictly(`${raw}data: [DONE]\n\n`);
  expect(chunks.at(-1)?.error).toMatchObject({ code: 'provider_stream_broken' });
});
