import type { ChatMessage } from '@lamb/contract';
import type { FunctionSpec, ModelEvent } from '@lamb/plugin-kit';
import { describe, expect, it } from 'vitest';
import { deliver, makeConnector, type ConnectorScript } from './__fixtures__/make-connector.ts';
import { makePorts } from './__fixtures__/make-ports.ts';
import { callModel } from './call-model.ts';
import type { EventBody } from './event-sequence.ts';

const tools: FunctionSpec[] = [{ name: 'f', description: '', parameters: {} }];
const question: ChatMessage[] = [{ role: 'user', content: '12345678' }];

interface Options {
  readonly messages?: readonly ChatMessage[];
  readonly tools?: readonly FunctionSpec[] | undefined;
  readonly signal?: AbortSignal;
  readonly ready?: () => Promise<void> | undefined;
}

function call(script: ConnectorScript, options: Options = {}) {
  const events: EventBody[] = [];
  const connector = makeConnector(script);
  const signal = options.signal ?? new AbortController().signal;
  const answer = callModel(
    {
      messages: options.messages ?? question,
      tools: 'tools' in options ? options.tools : tools,
      step: 'model:1',
      callPrefix: 'call_1',
    },
    { messages: question, sampling: { temperature: 0.5 } },
    makePorts({ model: { connector, model: 'model-1', settings: {} } }),
    {
      emit: (body) => events.push(body),
      ready: options.ready ?? (() => undefined),
      begin: () => Promise.resolve('fresh'),
      signal,
    },
  );
  return { answer, events, connector };
}

const text = (said: string): ModelEvent => ({ type: 'text', text: said });
const piece = (index: number, id: string, given = '{}'): ModelEvent => ({
  type: 'tool_call',
  index,
  id,
  name: 'f',
  arguments: given,
});
const finish = (reason: string): ModelEvent => ({ type: 'finish', reason });

describe('one answer of the model', () => {
  it('sends text out as it comes and puts calls together', async () => {
    const { answer, events, connector } = call(
      deliver(
        [text('Let me '), text('look.'), piece(0, 'a', '{"x"')],
        [{ ...piece(0, 'a', ':1}') }, finish('tool_calls')],
      ),
    );
    expect(await answer).toEqual({
      text: 'Let me look.',
      calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      finishReason: 'tool_calls',
    });
    expect(events.map(({ type }) => type)).toEqual(['text.delta', 'usage']);
    expect(connector.calls[0]).toMatchObject({ tools, sampling: { temperature: 0.5 }, model: 'model-1' });
  });

  it('does not offer tools where there are none to offer, and makes no calls then', async () => {
    const { answer, connector } = call(deliver([text('So.'), piece(0, 'a')], [finish('tool_calls')]), {
      tools: undefined,
    });
    expect(await answer).toEqual({ text: 'So.', calls: [], finishReason: 'stop' });
    expect(connector.calls[0]).not.toHaveProperty('tools');
  });

  it.each([
    ['tool_calls', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['stop', 'stop'],
  ])('that ends with %s and has no calls finishes with %s', async (reason, expected) => {
    expect(await call(deliver([text('So.')], [finish(reason)])).answer).toMatchObject({ finishReason: expected });
  });

  it('makes its calls although the provider says that it stopped', async () => {
    const answer = await call(deliver([piece(0, 'a')], [finish('stop')])).answer;
    expect(answer).toMatchObject({ finishReason: 'tool_calls', calls: [{ id: 'a' }] });
  });

  it('gives a call another id when the conversation has that one already', async () => {
    const messages: ChatMessage[] = [
      ...question,
      { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ];
    const { calls } = await call(deliver([piece(0, 'call_1')]), { messages }).answer;
    expect(calls.map(({ id }) => id)).toEqual(['call_1_1']);
  });

  it('estimates what calls, images and the functions on offer cost too', async () => {
    const asked: ChatMessage = {
      role: 'assistant',
      tool_calls: [{ id: 'z', type: 'function', function: { name: 'f', arguments: '1234567' } }],
    };
    const shown: ChatMessage = {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    };
    const { answer, events } = call(deliver([piece(0, 'a', '123')]), { messages: [...question, asked, shown] });
    await answer;
    const prompt = 4 + 1200 + Math.ceil(JSON.stringify(tools).length / 4);
    expect(events).toEqual([
      {
        type: 'usage',
        usage: { prompt_tokens: prompt, completion_tokens: 1, total_tokens: prompt + 1, estimated: true },
      },
    ]);
  });

  it.each([
    [{}, { max_tokens: 50 }],
    [{ max_tokens: 70 }, { max_tokens: 70 }],
    [{ max_completion_tokens: 30 }, { max_completion_tokens: 30 }],
  ])('is told to end where its budget does, unless the caller said where: %o', async (sampling, sent) => {
    const connector = makeConnector(deliver([text('a')]));
    const budget = {
      reserve: () => Promise.resolve({ id: 'r', startedAt: 0, maxCompletionTokens: 50 }),
      settle: () => Promise.resolve(),
    };
    await callModel(
      { messages: question, tools: undefined, step: 'model:1', callPrefix: 'call_1' },
      { messages: question, sampling },
      makePorts({ model: { connector, model: 'model-1', settings: {} }, budget }),
      {
        emit: () => undefined,
        ready: () => undefined,
        begin: () => Promise.resolve('fresh'),
        signal: new AbortController().signal,
      },
    );
    expect(connector.calls[0]?.sampling).toEqual(sent);
  });

  it('waits while the reader does not keep up', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let waits = 0;
    const { answer, events } = call(deliver([text('a')], [text('b')]), {
      ready: () => {
        waits += 1;
        return waits === 1 ? promise : undefined;
      },
    });
    await new Promise(setImmediate);
    expect(events).toEqual([{ type: 'text.delta', text: 'a' }]);
    resolve(undefined);
    expect((await answer).text).toBe('ab');
  });

  it('ends at once when it is aborted, also by a connector that does not listen', async () => {
    const controller = new AbortController();
    let closed = false;
    const { answer, events } = call(
      async function* () {
        try {
          yield [text('a')];
          await new Promise<never>(() => undefined);
        } finally {
          closed = true;
        }
      },
      { signal: controller.signal },
    );
    await new Promise(setImmediate);
    controller.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    expect(events).toEqual([{ type: 'text.delta', text: 'a' }]);
    expect(closed, 'it hangs where it hangs').toBe(false);
  });
});
