import type { ModelEvent } from '@lamb/plugin-kit';
import { expect, test } from 'vitest';
import { createGeminiReader } from './create-gemini-reader.ts';

function read(body: unknown): ModelEvent[] {
  const reader = createGeminiReader();
  const events: ModelEvent[] = [];
  reader.read(Buffer.from(JSON.stringify(body)), events);
  reader.end(events);
  return events;
}

const image = { inlineData: { mimeType: 'image/png', data: 'QUJD' } };
const answer = (parts: unknown[], finishReason = 'STOP') => ({ candidates: [{ content: { parts }, finishReason }] });

test('the text comes first, then the images, thoughts apart', () => {
  const parts = [{ text: 'Hm.', thought: true }, image, { text: 'Here it is.' }, { ...image, thought: true }];
  expect(read(answer(parts))).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Here it is.\n\n![Generated image](data:image/png;base64,QUJD)' },
    { type: 'finish', reason: 'stop' },
  ]);
});

test('thoughts are counted as usage', () => {
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 1290, thoughtsTokenCount: 10 };
  expect(read({ ...answer([image]), usageMetadata })).toContainEqual({
    type: 'usage',
    promptTokens: 5,
    completionTokens: 1300,
  });
});

test.each([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['IMAGE_SAFETY', 'content_filter'],
])('%s is said as %s', (finishReason, reason) => {
  expect(read(answer([{ text: 'a' }], finishReason)).at(-1)).toEqual({ type: 'finish', reason });
});

test.each([
  ['a blocked prompt', { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, 'PROHIBITED_CONTENT'],
  [
    'a refusal',
    { candidates: [{ finishReason: 'NO_IMAGE', finishMessage: 'Unable to show it.' }] },
    'Unable to show it.',
  ],
])('%s is rejected, with the reason', (_what, body, reason) => {
  expect(() => read(body)).toThrow(
    expect.objectContaining({ code: 'provider_rejected', message: expect.stringContaining(reason) }),
  );
});

test.each([[{}], [[]], [{ candidates: [] }]])('%j is no answer', (body) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ code: 'provider_stream_broken' }));
});
