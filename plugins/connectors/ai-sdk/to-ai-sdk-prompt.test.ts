import { expect, test } from 'vitest';
import { toAiSdkPrompt } from './to-ai-sdk-prompt.ts';

const image = (url: string) => ({ type: 'image_url', image_url: { url } }) as const;

test('an image at an address is passed on to providers that fetch it', () => {
  const messages = [{ role: 'user', content: [image('https://example.org/a.png')] } as const].map((message) => ({
    ...message,
    content: [...message.content],
  }));
  expect(toAiSdkPrompt(messages, () => true)).toEqual([
    {
      role: 'user',
      content: [{ type: 'file', mediaType: 'image', data: { type: 'url', url: new URL('https://example.org/a.png') } }],
    },
  ]);
  expect(toAiSdkPrompt(messages, () => false)).toEqual([
    { role: 'user', content: [{ type: 'text', text: expect.stringContaining('left out') }] },
  ]);
});

test('empty text is left out, which providers refuse', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":' } } as const;
  expect(toAiSdkPrompt([{ role: 'assistant', content: '', tool_calls: [call] }], () => false)).toEqual([
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {} }] },
  ]);
});

test('a result belongs to the function that was called', () => {
  const call = { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } } as const;
  const prompt = toAiSdkPrompt(
    [
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: '21 °C' },
    ],
    () => false,
  );
  expect(prompt[1]).toEqual({
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'a', toolName: 'get_weather', output: { type: 'text', value: '21 °C' } },
    ],
  });
});
