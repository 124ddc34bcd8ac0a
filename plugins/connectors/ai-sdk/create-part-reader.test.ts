import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { createPartReader } from './create-part-reader.ts';

const readAll = (...parts: LanguageModelV4StreamPart[]) => parts.flatMap(createPartReader(undefined));

const usage = (total: number | undefined) => ({
  inputTokens: { total, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total, text: undefined, reasoning: undefined },
});

const finish = (unified: 'stop' | 'other' | 'interrupted' | 'content-filter', raw?: string) =>
  ({ type: 'finish', usage: usage(undefined), finishReason: { unified, raw } }) as const;

test('a call that comes whole is told from one that came in pieces', () => {
  const events = readAll(
    { type: 'tool-input-start', id: 'a', toolName: 'f' },
    { type: 'tool-input-delta', id: 'a', delta: '{"x"' },
    { type: 'tool-input-delta', id: 'a', delta: ':1}' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'f', input: '{"x":1}' },
    { type: 'tool-call', toolCallId: 'b', toolName: 'g', input: '{}' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: '{}', providerExecuted: true },
  );
  expect(events).toEqual([
    { type: 'tool_call', index: 0, id: 'a', name: 'f', arguments: '' },
    { type: 'tool_call', index: 0, arguments: '{"x"' },
    { type: 'tool_call', index: 0, arguments: ':1}' },
    { type: 'tool_call', index: 1, id: 'b', name: 'g', arguments: '{}' },
  ]);
});

test('usage that was not counted is not reported', () => {
  expect(readAll(finish('stop'))).toEqual([{ type: 'finish', reason: 'stop' }]);
});

test.each([
  ['other', 'pause_turn', 'stop'],
  ['content-filter', undefined, 'content_filter'],
] as const)('finish %s (%s) is %s', (unified, raw, reason) => {
  expect(readAll(finish(unified, raw))).toEqual([{ type: 'finish', reason }]);
});

test.each([finish('interrupted'), finish('other')])('an end that is none breaks the stream', (part) => {
  expect(() => readAll(part)).toThrow(expect.objectContaining({ code: 'provider_stream_broken' }));
});
