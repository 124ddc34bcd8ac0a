import type { ModelEvent } from '@lamb/plugin-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitAt } from '../wire/__fixtures__/split-at.ts';
import { createOllamaReader } from './create-ollama-reader.ts';

function readAll(pieces: readonly Buffer[]): ModelEvent[] {
  const reader = createOllamaReader(undefined);
  const events: ModelEvent[] = [];
  for (const piece of pieces) reader.read(piece, events);
  reader.end(events);
  return events;
}

const readLines = (...lines: unknown[]) =>
  readAll([Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))]);
const say = (content: string) => ({ message: { role: 'assistant', content }, done: false });
const end = { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' };
const stop = { type: 'finish', reason: 'stop' };
const broken = { code: 'provider_stream_broken' };

test('lines cut anywhere give the same text', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(2000)), fc.constantFrom('\n', '\r\n'), (pieces, cuts, lineEnd) => {
      const lines = [...pieces.map(say), end].map((line) => JSON.stringify(line) + lineEnd).join('');
      const events = readAll(splitAt(Buffer.from(lines), cuts));
      expect(events).toEqual([...pieces.map((text) => ({ type: 'text', text })), stop]);
    }),
  );
});

test('the last line needs no line break', () => {
  expect(readAll([Buffer.from(JSON.stringify(end))])).toEqual([stop]);
});

test('calls get an id of their own when the server gives none', () => {
  const call = { function: { name: 'get_weather', arguments: { city: 'Bern' } } };
  const events = readLines({ message: { tool_calls: [call, call] } }, { message: { tool_calls: [call] } }, end);
  const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event] : []));
  expect(calls.map(({ index, name, arguments: json }) => ({ index, name, json }))).toEqual(
    [0, 1, 2].map((index) => ({ index, name: 'get_weather', json: '{"city":"Bern"}' })),
  );
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
});

test('a count that is left out is zero', () => {
  expect(readLines({ ...end, eval_count: 3 })).toEqual([{ type: 'usage', promptTokens: 0, completionTokens: 3 }, stop]);
});

test.each([
  ['an empty body', []],
  ['no end', [say('a')]],
  ['an error', [say('a'), { error: 'llama runner process has terminated' }]],
  ['a line that is no object', [1]],
])('%s breaks the stream', (_what, lines) => {
  expect(() => readLines(...lines)).toThrow(expect.objectContaining(broken));
});

test('a line without an end is given up on', () => {
  const reader = createOllamaReader(undefined);
  const piece = Buffer.from('x'.repeat(1024 * 1024));
  expect(() => {
    for (let count = 0; count < 10; count++) reader.read(piece, []);
  }).toThrow(expect.objectContaining(broken));
});
