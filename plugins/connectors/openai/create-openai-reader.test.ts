import type { ModelEvent } from '@lamb/plugin-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitAt } from '../wire/__fixtures__/split-at.ts';
import { createOpenAiReader } from './create-openai-reader.ts';

function readAll(pieces: readonly Buffer[], apiKey?: string): ModelEvent[] {
  const reader = createOpenAiReader(apiKey);
  const events: ModelEvent[] = [];
  for (const piece of pieces) reader.read(piece, events);
  reader.end(events);
  return events;
}

const readText = (stream: string) => readAll([Buffer.from(stream)]);
const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (content: object, finishReason: string | null = null) =>
  frame({ id: 'x', choices: [{ index: 0, delta: content, finish_reason: finishReason }] });
const ended = `${delta({}, 'stop')}data: [DONE]\n\n`;
const stop = { type: 'finish', reason: 'stop' };
const broken = { code: 'provider_stream_broken' };

test('a stream cut anywhere, with any line ends, gives the same text', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(3000)), fc.constantFrom('\n', '\r\n', '\r'), (pieces, cuts, lineEnd) => {
      const stream = pieces.map((content) => delta({ content })).join('') + ended;
      const events = readAll(splitAt(Buffer.from(stream.replaceAll('\n', lineEnd)), cuts));
      expect(events).toEqual([...pieces.map((text) => ({ type: 'text', text })), stop]);
    }),
  );
});

test('comments, empty events and a missing space are fine', () => {
  const stream = `: wait\n\n:\n\nevent: message\n${delta({ content: 'a' }).replace('data: ', 'data:')}retry: 5\n\n${ended}`;
  expect(readText(stream)).toEqual([{ type: 'text', text: 'a' }, stop]);
});

test('usage is reported once, wherever and however often it comes', () => {
  const counts = (completion: number) => ({ prompt_tokens: 7, completion_tokens: completion, total_tokens: 0 });
  const stream = [
    frame({ choices: [{ delta: { content: 'a' } }], usage: counts(1) }),
    frame({ choices: [{ delta: { content: 'b' }, finish_reason: 'stop' }], usage: counts(2) }),
    'data: [DONE]\n\n',
  ];
  const usage = { type: 'usage', promptTokens: 7, completionTokens: 2 };
  expect(readText(stream.join(''))).toEqual([{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, usage, stop]);
});

test('both names of reasoning are read, and one of them when both are there', () => {
  const stream = delta({ reasoning: 'a' }) + delta({ reasoning_content: 'b', reasoning: 'b' }) + ended;
  expect(readText(stream)).toEqual([{ type: 'reasoning', text: 'a' }, { type: 'reasoning', text: 'b' }, stop]);
});

test('a refusal is text', () => {
  expect(readText(delta({ refusal: 'I will not.' }) + ended)).toEqual([{ type: 'text', text: 'I will not.' }, stop]);
});

test('a body that ends without [DONE] is complete when there was a finish reason', () => {
  expect(readText(delta({ content: 'a' }, 'length'))).toEqual([
    { type: 'text', text: 'a' },
    { type: 'finish', reason: 'length' },
  ]);
  expect(readText(delta({}, 'stop').trimEnd())).toEqual([stop]);
});

test('nothing is read after [DONE]', () => {
  expect(readText(`${ended}${delta({ content: 'late' })}${ended}`)).toEqual([stop]);
});

test.each([
  ['an empty body', ''],
  ['no finish reason', `${delta({ content: 'a' })}data: [DONE]\n\n`],
  ['half of an event', delta({ content: 'a' }).slice(0, 20)],
  ['garbage', 'data: <html>\n\n'],
  ['JSON that is no object', 'data: 1\n\n'],
  ['a page', '<!doctype html><p>Sign in'],
  ['an error', frame({ error: { message: 'Overloaded' } })],
])('%s breaks the stream', (_what, stream) => {
  expect(() => readText(stream)).toThrow(expect.objectContaining(broken));
});

test('an event without an end is given up on', () => {
  const reader = createOpenAiReader(undefined);
  const piece = Buffer.from('x'.repeat(1024 * 1024));
  reader.read(Buffer.from('data: "'), []);
  expect(() => {
    for (let count = 0; count < 10; count++) reader.read(piece, []);
  }).toThrow(expect.objectContaining(broken));
});

test('odd shapes are passed over', () => {
  const odd = [
    { choices: null },
    { choices: [] },
    { choices: [null] },
    { choices: [{ delta: null }] },
    { usage: {} },
    [],
  ];
  const stream = [...odd.map(frame), delta({ content: [1], tool_calls: {} }), delta({ tool_calls: [{}] })].join('');
  expect(readText(stream + ended)).toEqual([{ type: 'tool_call', index: 0 }, stop]);
});
