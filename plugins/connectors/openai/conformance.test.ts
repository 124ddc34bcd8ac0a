import { messageText } from '@lamb/contract';
import type { Connector, ModelCall, ModelEvent } from '@lamb/plugin-kit';
import { connectorCases, type RunningStage } from '@lamb/plugin-kit/conformance';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openAiStage } from './__fixtures__/openai-stage.ts';

type Batches = AsyncIterable<readonly ModelEvent[]>;
type Plant = (stream: Connector['stream'], call: ModelCall) => Batches;

let stage: RunningStage;
beforeAll(async () => {
  stage = await openAiStage.start();
});
afterAll(() => stage.stop());
beforeEach(() => stage.provider.reset());

/** Changes the events that come out. */
const onEvents = (change: (event: ModelEvent) => readonly ModelEvent[]): Plant =>
  async function* (stream, call) {
    for await (const batch of stream(call)) {
      const changed = batch.flatMap(change);
      if (changed.length > 0) yield changed;
    }
  };

const onText = (change: (text: string) => string): Plant =>
  onEvents((event) => (event.type === 'text' ? [{ ...event, text: change(event.text) }] : [event]));

/** Changes the call that goes in. */
const onCall =
  (change: (call: ModelCall) => Partial<ModelCall>): Plant =>
  (stream, call) =>
    stream({ ...call, ...change(call) });

/** Changes what is thrown; undefined ends the answer as if nothing had happened. */
const onError = (change: (error: Error, call: ModelCall) => Error | undefined): Plant =>
  async function* (stream, call) {
    try {
      yield* stream(call);
    } catch (error) {
      const changed = change(error as Error, call);
      if (changed !== undefined) throw changed;
      yield [{ type: 'finish', reason: 'stop' }];
    }
  };

const never = () => new AbortController().signal;

const collectFirst: Plant = async function* (stream, call) {
  const events: ModelEvent[] = [];
  for await (const batch of stream(call)) events.push(...batch);
  yield events;
};

const neverReturn: Plant = (stream, call) => ({
  [Symbol.asyncIterator]: () => {
    const iterator = stream(call)[Symbol.asyncIterator]();
    return { next: () => iterator.next() };
  },
});

const readAhead: Plant = async function* (stream, call) {
  const waiting: (readonly ModelEvent[])[] = [];
  const reading = (async () => {
    for await (const batch of stream(call)) waiting.push(batch);
  })();
  yield [{ type: 'text', text: '' }];
  await reading;
  yield* waiting;
};

let firstCall: ModelCall | undefined;

const plants: readonly [rule: string, bug: string, plant: Plant][] = [
  ['ends with one finish', 'two of them', onEvents((event) => (event.type === 'finish' ? [event, event] : [event]))],
  ['ends with one finish', 'none', onEvents((event) => (event.type === 'finish' ? [] : [event]))],
  ['ends with one finish', 'an empty batch', (stream, call) => emptyFirst(stream(call))],
  ['delivers the text in order', 'a lost token', onText((text) => (text === ' t99' ? '' : text))],
  ['delivers the text in order', 'a doubled token', onText((text) => (text === ' t99' ? text + text : text))],
  ['delivers the text when many events', 'only the first of a batch', (stream, call) => onlyFirst(stream(call))],
  [
    'keeps every character when the bytes come 1 at',
    'a torn character',
    onText((text) => text.replace('漢', '\ufffd')),
  ],
  [
    'keeps every character when the bytes come 7 at',
    'an eaten line break',
    onText((text) => text.replace('\r\n', '\n')),
  ],
  [
    'keeps every character when the bytes come 1000',
    'an eaten separator',
    onText((text) => text.replace('\u2028', '')),
  ],
  ['delivers a piece of a megabyte', 'a cut', onText((text) => text.slice(0, 65_536))],
  ['keeps concurrent calls apart', 'a shared call', (stream, call) => stream((firstCall ??= call))],
  ['reports the usage once', 'none', onEvents((event) => (event.type === 'usage' ? [] : [event]))],
  ['reports the usage once', 'twice', onEvents((event) => (event.type === 'usage' ? [event, event] : [event]))],
  [
    'says that it finished by length',
    'always stop',
    onEvents((event) => (event.type === 'finish' ? [{ ...event, reason: 'stop' }] : [event])),
  ],
  [
    'keeps reasoning apart',
    'as text',
    onEvents((event) => (event.type === 'reasoning' ? [{ ...event, type: 'text' }] : [event])),
  ],
  [
    'delivers function calls',
    'one index for all',
    onEvents((event) => (event.type === 'tool_call' ? [{ ...event, index: 0 }] : [event])),
  ],
  [
    'delivers function calls',
    'without ids',
    onEvents((event) => (event.type === 'tool_call' ? [{ ...event, id: '' }] : [event])),
  ],
  ['fails when the answer ends without a finish', 'a finish made up', onError(() => undefined)],
  [
    'sends model, system prompt',
    'no system prompt',
    onCall(({ messages }) => ({ messages: messages.filter(({ role }) => role !== 'system') })),
  ],
  ['sends model, system prompt', 'another model', onCall(() => ({ model: 'other' }))],
  ['sends temperature', 'none', onCall(() => ({ sampling: {} }))],
  ['sends stop', 'only the first', onCall(({ sampling }) => ({ sampling: { ...sampling, stop: 'END' } }))],
  ['leaves out parameters', 'one made up', onCall(() => ({ sampling: { temperature: 1 } }))],
  [
    'sends images',
    'without images',
    onCall(({ messages }) => ({ messages: messages.map((each) => ({ ...each, content: messageText(each) })) })),
  ],
  ['offers functions', 'none', onCall(() => ({ tools: [] }))],
  [
    'sends earlier function calls',
    'only what the user said',
    onCall(({ messages }) => ({ messages: messages.filter(({ role }) => role === 'user') })),
  ],
  ['turns status 429', 'another error', onError(() => new Error('429'))],
  ['turns status 401', 'an answer', onError(() => undefined)],
  [
    'says what the provider said',
    'the whole of it',
    onError((error) => Object.assign(error, { message: 'x'.repeat(600) })),
  ],
  ['says how long to wait', 'nothing', onError((error) => Object.assign(error, { details: {} }))],
  [
    'keeps the key out of the error when the provider quotes it with status 400',
    'the key',
    onError((error, { settings }) => Object.assign(error, { message: `With ${String(settings.apiKey)}` })),
  ],
  [
    'keeps the key out of the error when the provider quotes it in mid-stream',
    'the key',
    onError((error, { settings }) => Object.assign(error, { details: { key: settings.apiKey } })),
  ],
  ['cannot reach a provider that does not listen', 'an answer', onError(() => undefined)],
  ['gives up on a provider', 'an answer', onError(() => undefined)],
  ['reports an answer in one piece', 'an answer', onError(() => undefined)],
  ['delivers what came before an answer that is cut', 'all or nothing', collectFirst],
  ['delivers what came before an answer that stalls', 'an answer', onError(() => undefined)],
  ['delivers what came before an answer that ends in an error', 'all or nothing', collectFirst],
  ['delivers what came before an answer that turns to garbage', 'an answer', onError(() => undefined)],
  ['does nothing when it is already aborted', 'a request', onCall(() => ({ signal: never() }))],
  ['closes the connection at once when it is aborted before', 'an error of its own', onError(() => new Error('stop'))],
  ['closes the connection at once when it is aborted before', 'still open', (stream, call) => orphan(stream, call)],
  [
    'closes the connection at once when it is aborted in the middle',
    'still open',
    (stream, call) => orphan(stream, call),
  ],
  ['closes the connection at once when the reader leaves', 'still open', neverReturn],
  ['does not buffer without bound', 'all at once', readAhead],
];

test.each(plants)('the suite finds a violation of “%s”: %s', async (rule, _bug, plant) => {
  const cases = connectorCases(openAiStage).filter(({ name }) => name.startsWith(rule));
  expect(cases).not.toHaveLength(0);
  firstCall = undefined;
  const planted: RunningStage = {
    ...stage,
    create(options) {
      const connector = stage.create(options);
      return { ...connector, stream: (call) => plant(connector.stream, call) };
    },
  };
  for (const { run } of cases) {
    stage.provider.reset();
    await expect(run(planted, openAiStage)).rejects.toThrow();
  }
});

async function* emptyFirst(batches: Batches): Batches {
  yield [];
  yield* batches;
}

async function* onlyFirst(batches: Batches): Batches {
  for await (const batch of batches) yield batch.filter((event, index) => index === 0 || event.type === 'finish');
}

/** Stops listening when it is aborted, and leaves the request running. */
async function* orphan(stream: Connector['stream'], call: ModelCall): Batches {
  const iterator = stream({ ...call, signal: never() })[Symbol.asyncIterator]();
  const aborted = new Promise<never>((_, reject) => {
    call.signal.addEventListener('abort', () => {
      reject(call.signal.reason as Error);
    });
  });
  for (;;) {
    const result = await Promise.race([iterator.next(), aborted]);
    if (result.done === true) return;
    yield result.value;
  }
}
