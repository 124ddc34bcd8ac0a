import type { ChatMessage } from '@lamb/contract';
import { expect, test } from 'vitest';
import { toGeminiRequest } from './to-gemini-request.ts';

const contentsOf = (...messages: ChatMessage[]) =>
  toGeminiRequest({ settings: {}, model: 'm', messages, sampling: {}, signal: new AbortController().signal })[
    'contents'
  ];

const drawn = 'Here it is.\n\n![Generated image](data:image/png;base64,QUJD)';
const inlineData = { mimeType: 'image/png', data: 'QUJD' };

test('an image that was drawn before goes with the next message, as an image', () => {
  const contents = contentsOf(
    { role: 'user', content: 'Draw a cat.' },
    { role: 'assistant', content: drawn },
    { role: 'user', content: 'Make it blue.' },
  );
  expect(contents).toEqual([
    { role: 'user', parts: [{ text: 'Draw a cat.' }] },
    { role: 'model', parts: [{ text: 'Here it is.\n\n[image]' }] },
    { role: 'user', parts: [{ inlineData }, { text: 'Make it blue.' }] },
  ]);
});

test('messages without a place there are left out', () => {
  const contents = contentsOf(
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null },
    { role: 'tool', content: 'x', tool_call_id: 'a' },
    { role: 'user', content: '' },
  );
  expect(contents).toEqual([{ role: 'user', parts: [{ text: 'Hi' }] }]);
});

test('an image at an address is left out, with a note to the model', () => {
  const contents = contentsOf({
    role: 'user',
    content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }],
  });
  expect(contents).toEqual([{ role: 'user', parts: [{ text: expect.stringContaining('left out') }] }]);
});

test('text made to slow the search for images down does not', () => {
  const started = performance.now();
  contentsOf(
    { role: 'assistant', content: '!['.repeat(200_000) },
    { role: 'assistant', content: '![](data:image/a;base64,A'.repeat(40_000) },
  );
  expect(performance.now() - started).toBeLessThan(2000);
});
