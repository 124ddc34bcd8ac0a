import { expect } from 'vitest';
import type { ModelEvent } from '../define-connector.ts';
import type { ConnectorCase } from './connector-case.ts';
import { completeRun, makeCall, listTokens, numberTokens, runConnector } from './run-connector.ts';

/** Characters of one to four bytes, and everything that could be taken for the end of a line, an event or a stream. */
const awkwardPieces = [
  'Zürich ',
  '漢字',
  '😀👩‍🏫',
  '\r\n',
  '\r',
  '\n\n',
  '\u2028\u2029\u0085',
  '"quoted" \\ back',
  'data: [DONE]\n\n',
  '}',
  '{"error":"no"}',
  '\t\u0000\u001f',
];

const usage = { promptTokens: 1234, completionTokens: 56 };

/** How an answer arrives. */
export const connectorAnswerCases: readonly ConnectorCase[] = [
  {
    name: 'ends with one finish',
    needs: [],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(3) });
      await completeRun(stage.create(), makeCall(stage));
    },
  },
  {
    name: 'delivers the text in order and complete',
    needs: ['provider'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(500) });
      const { text } = await completeRun(stage.create(), makeCall(stage));
      expect(text).toBe(numberTokens(500));
    },
  },
  {
    name: 'delivers the text when many events arrive in one read',
    needs: ['provider', 'pieces'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(500), faults: { eventsPerWrite: 100 } });
      const { text } = await completeRun(stage.create(), makeCall(stage));
      expect(text).toBe(numberTokens(500));
    },
  },
  ...[1, 7, 1000].map((splitBytes): ConnectorCase => ({
    name: `keeps every character when the bytes come ${splitBytes} at a time`,
    needs: ['provider'],
    async run(stage) {
      stage.provider.script({ chunks: awkwardPieces, faults: { splitBytes } });
      const { text } = await completeRun(stage.create(), makeCall(stage));
      expect(text).toBe(awkwardPieces.join(''));
    },
  })),
  {
    name: 'delivers a piece of a megabyte',
    needs: ['provider'],
    async run(stage) {
      const piece = 'ab\n“c”'.repeat(170_000);
      stage.provider.script({ chunks: ['before ', piece, ' after'] });
      const { text } = await completeRun(stage.create(), makeCall(stage));
      expect(text === `before ${piece} after`, 'the text is the same').toBe(true);
    },
  },
  {
    name: 'keeps concurrent calls apart',
    needs: ['provider'],
    async run(stage) {
      const counts = [1, 20, 300, 40, 5];
      const ask = (count: number) => `Give me ${count} tokens.`;
      stage.provider.script(...counts.map((count) => ({ chunks: listTokens(count), when: { contains: ask(count) } })));
      const connector = stage.create();
      const runs = counts.map((count) =>
        completeRun(connector, makeCall(stage, { messages: [{ role: 'user', content: ask(count) }] })),
      );
      const texts = (await Promise.all(runs)).map(({ text }) => text);
      expect(texts).toEqual(counts.map(numberTokens));
    },
  },
  {
    name: 'reports the usage once, before the finish',
    needs: ['provider'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(5), usage });
      const { events } = await completeRun(stage.create(), makeCall(stage));
      expect(events.filter(({ type }) => type === 'usage')).toEqual([{ type: 'usage', ...usage }]);
    },
  },
  {
    name: 'finishes when the provider reports no usage',
    needs: ['provider'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(5), usage: null });
      await completeRun(stage.create(), makeCall(stage));
    },
  },
  ...(['stop', 'length'] as const).map((reason): ConnectorCase => ({
    name: `says that it finished by ${reason}`,
    needs: ['provider'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(5), finishReason: reason });
      const { events } = await completeRun(stage.create(), makeCall(stage));
      expect(events.at(-1)).toEqual({ type: 'finish', reason });
    },
  })),
  {
    name: 'keeps reasoning apart from the text',
    needs: ['provider', 'reasoning'],
    async run(stage) {
      stage.provider.script({ reasoning: 'First I think.', chunks: listTokens(3) });
      const { events, text } = await completeRun(stage.create(), makeCall(stage));
      const reasoning = events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('');
      expect({ reasoning, text }).toEqual({ reasoning: 'First I think.', text: numberTokens(3) });
    },
  },
  {
    name: 'delivers function calls, each with its index, id, name and arguments',
    needs: ['provider', 'functions'],
    async run(stage) {
      const calls = [
        { name: 'get_weather', arguments: { city: 'Zürich', days: 3, note: '"}\n{' } },
        { name: 'get_rubric', arguments: { id: 'r-1' } },
      ];
      stage.provider.script({ toolCalls: calls });
      const { events } = await completeRun(stage.create(), makeCall(stage));
      const joined = joinCalls(events);
      expect(joined.map(({ name, json }) => ({ name, arguments: JSON.parse(json) as unknown }))).toEqual(calls);
      expect(new Set(joined.map(({ id }) => id)).size, 'different ids').toBe(calls.length);
      expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    },
  },
  {
    name: 'fails when the answer ends without a finish',
    needs: ['provider', 'pieces'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(5), finishReason: null });
      const { error, text } = await runConnector(stage.create(), makeCall(stage));
      expect(error).toMatchObject({ name: 'AppError', code: 'provider_stream_broken' });
      expect(text).toBe(numberTokens(5));
    },
  },
];

/** Puts the pieces of each call together; id and name must come with its first piece. */
function joinCalls(events: readonly ModelEvent[]): { id: string; name: string; json: string }[] {
  const calls: { id: string; name: string; json: string }[] = [];
  for (const event of events) {
    if (event.type !== 'tool_call') continue;
    const known = calls[event.index];
    if (known !== undefined) {
      known.json += event.arguments ?? '';
      continue;
    }
    expect(event).toMatchObject({
      index: calls.length,
      id: expect.stringMatching(/./),
      name: expect.stringMatching(/./),
    });
    calls.push({ id: event.id ?? '', name: event.name ?? '', json: event.arguments ?? '' });
  }
  return calls;
}
