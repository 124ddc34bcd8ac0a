import { createAnthropic } from '@ai-sdk/anthropic';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { collect } from '../http/collect.ts';
import { startLlmServer, type LlmServer } from './start-llm-server.ts';

let server: LlmServer;
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'how is the weather' }] }];
const weather = {
  type: 'function' as const,
  name: 'weather',
  inputSchema: { type: 'object' as const, properties: { city: { type: 'string' as const } } },
};

beforeAll(async () => {
  server = await startLlmServer({ key: 'sk-ant' });
});
beforeEach(() => {
  server.reset();
});
afterAll(() => server.stop());

const createModel = (apiKey = 'sk-ant') =>
  createAnthropic({ baseURL: `${server.url}/v1`, apiKey })('claude-sonnet-4-5');

test('doGenerate reads text, thinking, tool calls and usage', async () => {
  server.script({
    reasoning: 'hm well',
    text: 'It rains.',
    toolCalls: [{ name: 'weather', arguments: { city: 'Gasteiz' } }],
    usage: { promptTokens: 11, completionTokens: 5 },
  });
  const result = await createModel().doGenerate({ prompt, tools: [weather] });
  expect(result.content).toMatchObject([
    { type: 'reasoning', text: 'hm well' },
    { type: 'text', text: 'It rains.' },
    { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'weather', input: '{"city":"Gasteiz"}' },
  ]);
  expect(result.finishReason).toMatchObject({ unified: 'tool-calls' });
  expect(result.usage).toMatchObject({ inputTokens: { total: 11 }, outputTokens: { total: 5 } });
});

test('doStream reads the same from real events', async () => {
  server.script({
    reasoning: 'hm well',
    text: 'It rains.',
    toolCalls: [
      { name: 'weather', arguments: { city: 'Gasteiz' } },
      { name: 'weather', arguments: {} },
    ],
  });
  const { stream } = await createModel().doStream({ prompt, tools: [weather] });
  const parts = await collect(stream);
  const join = (type: string): string =>
    parts.map((part) => (part.type === type && 'delta' in part ? part.delta : '')).join('');
  expect(join('reasoning-delta')).toBe('hm well');
  expect(join('text-delta')).toBe('It rains.');
  expect(parts.filter((part) => part.type === 'tool-call')).toMatchObject([
    { toolCallId: 'toolu_1', input: '{"city":"Gasteiz"}' },
    { toolCallId: 'toolu_2', input: '{}' },
  ]);
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' } });
  expect(parts.filter((part) => part.type === 'error')).toEqual([]);
});

test('errors are the provider’s own', async () => {
  await expect(createModel('sk-wrong').doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 401 });
  server.script({ faults: { status: 529, error: { message: 'Overloaded' } } });
  await expect(createModel().doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 529, message: 'Overloaded' });
  server.script({ tokens: 5, faults: { errorAfterChunks: 2 } });
  const { stream } = await createModel().doStream({ prompt });
  const parts = await collect(stream);
  expect(parts.filter((part) => part.type === 'text-delta')).toHaveLength(2);
  expect(parts.some((part) => part.type === 'error')).toBe(true);
});
