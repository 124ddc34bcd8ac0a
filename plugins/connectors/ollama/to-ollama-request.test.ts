import type { ChatMessage, Sampling } from '@lamb/contract';
import { expect, test } from 'vitest';
import { toOllamaRequest } from './to-ollama-request.ts';

const request = (changes: { messages?: ChatMessage[]; sampling?: Sampling }) =>
  toOllamaRequest({
    settings: {},
    model: 'llama3.2',
    messages: [],
    sampling: {},
    signal: new AbortController().signal,
    ...changes,
  });

const asks = (...content: Exclude<ChatMessage['content'], string | null | undefined>): ChatMessage => ({
  role: 'user',
  content,
});

test('without parameters only what must be sent is sent', () => {
  expect(request({})).toEqual({ model: 'llama3.2', messages: [], stream: true });
});

test('an image at an address is left out, with a note to the model', () => {
  const { messages } = request({
    messages: [
      asks(
        { type: 'text', text: 'What is' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png?token=secret' } },
        { type: 'text', text: 'this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
      ),
    ],
  });
  expect(messages).toEqual([
    {
      role: 'user',
      content: 'What is this?\n[An image was left out here: this model takes embedded images only.]',
      images: ['QUJD'],
    },
  ]);
});

test('a developer message is a system message', () => {
  expect(request({ messages: [{ role: 'developer', content: 'Be kind.' }] })).toMatchObject({
    messages: [{ role: 'system', content: 'Be kind.' }],
  });
});

test('a single stop sequence becomes a list', () => {
  expect(request({ sampling: { stop: 'END' } })).toMatchObject({ options: { stop: ['END'] } });
});

test.each([
  [{ type: 'json_object' }, 'json'],
  [{ type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }, { type: 'object' }],
  [{ type: 'json_schema' }, 'json'],
  [{ type: 'text' }, undefined],
])('response_format %j becomes %j', (format, expected) => {
  expect(request({ sampling: { response_format: format } })['format']).toEqual(expected);
});

test.each([
  ['none', false],
  ['high', 'high'],
  ['extreme', undefined],
])('reasoning_effort %s becomes %s', (effort, expected) => {
  expect(request({ sampling: { reasoning_effort: effort } })['think']).toBe(expected);
});

test('arguments that are no JSON are sent as none', () => {
  const broken = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":' } } as const;
  expect(request({ messages: [{ role: 'assistant', tool_calls: [broken] }] })).toMatchObject({
    messages: [{ tool_calls: [{ function: { name: 'f', arguments: {} } }] }],
  });
});
