import { ToolRefusal, type ToolHost } from '@lamb/plugin-kit';
import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { assistant } from './assistant.ts';

const asked: unknown[] = [];
const hostThat = (run: ToolHost['assistants']['run']) => createTestHost({ assistants: { run } });
const host = hostThat((input, signal) => {
  signal.throwIfAborted();
  asked.push(input);
  return Promise.resolve({ content: 'Forty-two.', sources: [{ title: 'a.pdf', page: 2 }] });
});

describeTool(assistant, {
  validConfigs: [
    { assistant_id: 42 },
    { assistant_id: 42, name: 'math_expert', description: 'Knows mathematics.' },
    { assistant_id: 42, name: 'Dr. Müller' },
  ],
  invalidConfigs: [
    { config: {}, path: 'assistant_id' },
    { config: { assistant_id: 0 }, path: 'assistant_id' },
    { config: { assistant_id: 1.5 }, path: 'assistant_id' },
    { config: { assistant_id: 'lamb_assistant.42' }, path: 'assistant_id' },
    { config: { assistant_id: 42, name: 'x'.repeat(101) }, path: 'name' },
  ],
  host,
  validArguments: [{ query: 'What is 6 × 7?' }],
  invalidArguments: [
    { arguments: {}, path: 'query' },
    { arguments: { query: ' ' }, path: 'query' },
    { arguments: { query: 'x'.repeat(20_001) }, path: 'query' },
    { arguments: { query: ['x'] }, path: 'query' },
  ],
});

const parse = (config: unknown) => assistant.config.parse(config);
const { signal } = new AbortController();

async function call(given: Record<string, unknown>, doors: ToolHost = host) {
  return assistant.function?.run({
    config: parse({ assistant_id: 42 }),
    arguments: given,
    idempotencyKey: 'k',
    host: doors,
    signal,
  });
}

test.each([
  [{ assistant_id: 42 }, 'call_assistant_42', 'Asks another assistant.'],
  [{ assistant_id: 42, name: '' }, 'call_assistant_42', 'Asks another assistant.'],
  [{ assistant_id: 42, name: 'math_expert' }, 'math_expert', 'Asks the assistant “math_expert”.'],
  [
    { assistant_id: '42', name: 'Dr. Müller', description: 'Knows it all.' },
    'call_assistant_42',
    'Asks the assistant “Dr. Müller”. Knows it all.',
  ],
])('%o is called %s', (config, name, description) => {
  expect(assistant.function?.name({ config: parse(config) })).toBe(name);
  expect(assistant.function?.description({ config: parse(config) })).toBe(description);
  expect(assistant.targetAssistant?.({ config: parse(config) })).toBe(42);
});

test('it asks the assistant of its configuration, whatever else the model sends', async () => {
  asked.length = 0;
  const given = assistant.function?.input.parse({ query: ' Why? ', assistant_id: 99, user_id: 'admin' }) ?? {};
  expect(await call(given)).toEqual({ content: 'Forty-two.', sources: [{ title: 'a.pdf', page: 2 }] });
  expect(asked).toEqual([{ assistantId: 42, query: 'Why?' }]);
});

test('as a context tool it asks what the person asks', async () => {
  asked.length = 0;
  await assistant.context?.run({ config: parse({ assistant_id: 42 }), query: 'Why?', messages: [], host, signal });
  expect(asked).toEqual([{ assistantId: 42, query: 'Why?' }]);
});

test('no answer is a problem that is said', async () => {
  const silent = hostThat(() => Promise.resolve({ content: ' \n', sources: [] }));
  expect(await call({ query: 'Why?' }, silent)).toEqual({ content: '', error: 'Assistant 42 gave no answer.' });
});

test('a refusal is passed on', async () => {
  const refusing = hostThat(() => Promise.reject(new ToolRefusal('Not yours.')));
  await expect(call({ query: 'Why?' }, refusing)).rejects.toEqual(new ToolRefusal('Not yours.'));
});
