import { getEventListeners } from 'node:events';
import { AppError, RunEvent, type ChatMessage } from '@lamb/contract';
import { ToolFailure, type ModelEvent, type PromptProcessor, type Tool, type ToolResult } from '@lamb/plugin-kit';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { makeAssistant } from './__fixtures__/make-assistant.ts';
import { makeCatalogue } from './__fixtures__/make-catalogue.ts';
import { deliver, makeConnector, type ConnectorScript } from './__fixtures__/make-connector.ts';
import { makePorts } from './__fixtures__/make-ports.ts';
import { makeTool } from './__fixtures__/make-tool.ts';
import { compilePlan } from './compile-plan.ts';
import { runTurn } from './run-turn.ts';
import type { TurnPorts, TurnRequest } from './turn-ports.ts';

interface Setup {
  readonly assistant?: Parameters<typeof makeAssistant>[0];
  readonly tools?: readonly Tool[];
  readonly processors?: readonly PromptProcessor[];
  readonly script?: ConnectorScript;
  readonly request?: Partial<TurnRequest>;
  readonly ports?: Partial<TurnPorts>;
  readonly deadlineMs?: number;
}

const question: ChatMessage[] = [{ role: 'user', content: 'Why?' }];

function setUp({ assistant, tools, processors, script, request, ports, deadlineMs }: Setup = {}) {
  const { plan } = compilePlan(makeAssistant(assistant), makeCatalogue(tools, processors));
  const connector = makeConnector(script);
  const made = makePorts({ model: { connector, model: 'model-1', settings: { apiKey: 'canary-key' } }, ...ports });
  const turn = runTurn(
    deadlineMs === undefined ? plan : { ...plan, deadlineMs },
    { messages: question, sampling: {}, ...request },
    made,
  );
  return { turn, connector, ports: made };
}

async function read(turn: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

async function play(setup: Setup = {}) {
  const { turn, connector, ports } = setUp(setup);
  return { events: await read(turn), connector, ports };
}

function withoutEnvelope(event: RunEvent): Record<string, unknown> {
  const { run_id: _run, seq: _seq, time: _time, step: _step, attempt: _attempt, ...body } = event;
  return body;
}

function types(events: readonly RunEvent[]): string[] {
  return events.map(({ type }) => type);
}

const text = (said: string): ModelEvent => ({ type: 'text', text: said });
const hang = () => new Promise<never>(() => undefined);

/** A script that says something and then waits for ever, but heeds its signal as connectors must. */
const sayThenWait: ConnectorScript = async function* ({ signal }) {
  yield [text('So')];
  await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
};

describe('a turn', () => {
  it('tells everything in order, numbered from 1 without a gap', async () => {
    const { events } = await play({
      assistant: { system: 'Be kind.', template: '{tool}{user_input}', tools: [{ type: 'tool' }] },
      tools: [makeTool('tool', { run: () => ({ content: 'C', sources: [{ title: 'S', page: 3 }] }) })],
      script: deliver(
        [{ type: 'reasoning', text: 'Hm.' }],
        [text('Be'), text('cause'), { type: 'reasoning', text: ' So.' }],
        [text('.'), { type: 'usage', promptTokens: 11, completionTokens: 4 }, { type: 'finish', reason: 'length' }],
      ),
    });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    for (const event of events) {
      expect(event).toMatchObject({ run_id: 'run-1', time: 1_700_000_000_000 });
      expect(RunEvent.parse(event)).toEqual(event);
    }
    expect(events.map(withoutEnvelope)).toEqual([
      { type: 'run.started', assistant_id: 7, model: 'model-1' },
      { type: 'status', text: 'calling tool', tool: 'tool' },
      { type: 'tool.started', tool: 'tool', placeholder: 'tool' },
      {
        type: 'tool.finished',
        tool: 'tool',
        placeholder: 'tool',
        ok: true,
        chars: 1,
        milliseconds: expect.any(Number),
      },
      { type: 'status', text: 'tool completed', tool: 'tool' },
      { type: 'status', text: 'merging tool outputs' },
      { type: 'source', source: { title: 'S', page: 3, tool: 'tool', placeholder: 'tool' } },
      { type: 'prompt.rendered', messages: 2, chars: 'Be kind.'.length + '\n\nC\n\n\n\nWhy?\n\n'.length },
      { type: 'reasoning.delta', text: 'Hm.' },
      { type: 'text.delta', text: 'Because' },
      { type: 'reasoning.delta', text: ' So.' },
      { type: 'text.delta', text: '.' },
      { type: 'usage', usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15, estimated: false } },
      { type: 'run.finished', finish_reason: 'length' },
    ]);
  });

  it('gives the connector the rendered messages, the sampling as it came, the model and its settings', async () => {
    const sampling = { temperature: 0.2, max_tokens: 9, stop: ['\n'] };
    const { connector } = await play({
      assistant: { system: 'Be kind.', template: 'Q:{user_input}' },
      request: { sampling },
    });
    expect(connector.calls).toMatchObject([
      {
        model: 'model-1',
        settings: { apiKey: 'canary-key' },
        sampling,
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'Q:\n\nWhy?\n\n' },
        ],
      },
    ]);
  });

  it('says every status before the first token', async () => {
    const said = (name: string, placeholder: string, status: string) =>
      makeTool(name, { placeholder, status: () => status });
    const { events } = await play({
      assistant: {
        template: '{context}{rubric}{file}{moodle_courses}{user_input}',
        tools: ['simple_rag', 'rubric_rag', 'single_file_rag', 'moodle'].map((type) => ({ type })),
      },
      tools: [
        makeTool('simple_rag', {
          placeholder: 'context',
          status: () => ['querying knowledge base 12', 'querying knowledge base 15'],
        }),
        said('rubric_rag', 'rubric', 'generating rubric essay'),
        said('single_file_rag', 'file', 'reading file notes.md'),
        makeTool('moodle', { placeholder: 'moodle_courses' }),
      ],
    });
    const firstToken = events.findIndex(({ type }) => type === 'text.delta');
    const statuses = events.flatMap((event, index) => (event.type === 'status' ? [{ text: event.text, index }] : []));
    expect(statuses.map((status) => status.text)).toEqual([
      'querying knowledge base 12',
      'querying knowledge base 15',
      'generating rubric essay',
      'reading file notes.md',
      'calling moodle',
      'simple_rag completed',
      'rubric_rag completed',
      'single_file_rag completed',
      'moodle completed',
      'merging tool outputs',
    ]);
    expect(firstToken).toBeGreaterThan(Math.max(...statuses.map(({ index }) => index)));
  });

  it('estimates the usage where the provider gives none, reasoning included', async () => {
    const { events } = await play({
      assistant: { system: 'x'.repeat(10), template: '' },
      script: deliver([{ type: 'reasoning', text: '12345678' }, text('123456789')]),
    });
    expect(events.at(-2)).toMatchObject({
      usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9, estimated: true },
    });
    expect(events.at(-1), 'without a reason the model simply stopped').toMatchObject({ finish_reason: 'stop' });
  });

  it('answers although every tool fails, each in its own way', async () => {
    const tools = [
      makeTool('throwing', { run: () => Promise.reject(new Error('boom')) }),
      makeTool('failing', { run: () => Promise.reject(new ToolFailure('The server is down.')) }),
      makeTool('hanging', { run: hang }),
      makeTool('garbage', { run: () => 42 as unknown as ToolResult }),
    ];
    const { events, connector } = await play({
      assistant: {
        template: '{throwing}{failing}{hanging}{garbage}{unknown}{user_input}',
        tools: [...tools.map(({ name }) => name), 'unknown'].map((type) => ({
          type,
          placeholder: type,
          timeout_ms: 5,
          fallback: `no ${type}`,
        })),
      },
      tools,
    });
    const problems = events.flatMap((event) =>
      event.type === 'tool.finished' ? [[event.tool, event.ok, event.problem?.code]] : [],
    );
    expect(Object.fromEntries(problems.map(([tool, ...rest]) => [tool, rest]))).toEqual({
      throwing: [false, 'failed'],
      failing: [false, 'failed'],
      hanging: [false, 'timeout'],
      garbage: [false, 'invalid_result'],
      unknown: [false, 'invalid_config'],
    });
    expect(connector.calls[0]?.messages[0]?.content).toBe(
      ['no throwing', 'no failing', 'no hanging', 'no garbage', 'no unknown', 'Why?']
        .map((t) => `\n\n${t}\n\n`)
        .join(''),
    );
    expect(types(events).slice(-3)).toEqual(['text.delta', 'usage', 'run.finished']);
  });

  it('ends exactly once and stays well-formed, whatever tools and model do', async () => {
    const behaviours: Readonly<Record<string, () => ToolResult | Promise<ToolResult>>> = {
      fine: () => ({ content: 'C', sources: [{ title: 'S' }] }),
      late: () => new Promise((resolve) => setImmediate(() => resolve({ content: 'L' }))),
      failing: () => Promise.reject(new ToolFailure('down')),
      throwing: () => {
        throw new Error('boom');
      },
      garbage: () => null as unknown as ToolResult,
    };
    const tools = Object.entries(behaviours).map(([name, run]) => makeTool(name, { run }));
    const modelEvent = fc.constantFrom<ModelEvent>(
      text('a'),
      text(''),
      { type: 'reasoning', text: 'r' },
      { type: 'tool_call', index: 0, id: 'c', name: 'f', arguments: '{}' },
      { type: 'usage', promptTokens: 1, completionTokens: 1 },
      { type: 'finish', reason: 'stop' },
    );
    const scenario = fc.record({
      types: fc.array(fc.constantFrom(...Object.keys(behaviours), 'unknown'), { maxLength: 4 }),
      query: fc.constantFrom('', '{fine}', '{late}{failing}', '{user_input}'),
      batches: fc.array(fc.array(modelEvent, { maxLength: 3 }), { maxLength: 4 }),
      end: fc.constantFrom('end', 'known', 'unknown'),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ types: chosen, query, batches, end }) => {
        const { events } = await play({
          assistant: { tools: chosen.map((type) => ({ type, config: { query } })) },
          tools,
          script: async function* (call) {
            yield* deliver(...batches)(call);
            if (end === 'known') throw new AppError('provider_stream_broken');
            if (end === 'unknown') throw new Error('boom');
          },
        });
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        for (const event of events) expect(RunEvent.parse(event)).toEqual(event);
        expect(types(events).filter((type) => /^run\.(finished|failed|cancelled)$/.test(type))).toEqual([
          end === 'end' ? 'run.finished' : 'run.failed',
        ]);
        expect(types(events).at(-1)).toMatch(/^run\./);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a model that fails', () => {
  const failing = (error: unknown, ...before: ModelEvent[]): ConnectorScript =>
    async function* (call) {
      if (before.length > 0) yield* deliver(before)(call);
      throw error;
    };

  it.each([
    ['before its first word', [], []],
    ['in the middle', [text('So, ')], ['text.delta']],
  ])('%s ends the turn with the provider’s error', async (_when, before, said) => {
    const error = new AppError('provider_rate_limited', { details: { retry_after: 3 }, cause: new Error('canary') });
    const { events, ports } = await play({ script: failing(error, ...before) });
    expect(types(events)).toEqual(['run.started', 'prompt.rendered', ...said, 'run.failed']);
    expect(events.at(-1)).toMatchObject({
      code: 'provider_rate_limited',
      message: 'The model provider is limiting requests.',
      details: { retry_after: 3 },
    });
    expect(JSON.stringify(events)).not.toContain('canary');
    expect(ports.errors).toEqual([]);
  });

  it.each([
    ['throws', failing(new Error('canary in an error'))],
    ['throws text', failing('canary as text')],
    [
      'throws before it streams',
      () => {
        throw new Error('canary before the stream');
      },
    ],
  ])(
    'unexpectedly because it %s is an internal error without detail, and reported to the operator',
    async (_how, script) => {
      const { events, ports } = await play({ script });
      expect(events.map(withoutEnvelope).at(-1)).toEqual({
        type: 'run.failed',
        code: 'internal_error',
        message: 'Something went wrong on our side.',
      });
      expect(JSON.stringify(events)).not.toContain('canary');
      expect(ports.errors).toMatchObject([{ where: 'scripted' }]);
      expect(String(ports.errors[0]?.error)).toContain('canary');
    },
  );
});

describe('the query that tools search with', () => {
  const queries: string[] = [];
  const tool = makeTool('tool', { run: ({ query }) => (queries.push(query), { content: '' }) });
  const processor: PromptProcessor = {
    name: 'shaping',
    title: 'Shaping',
    description: '',
    async shapeQuery({ messages, userInput, askSmallModel, signal }) {
      return `${userInput} ${String(messages.length)} ${(await askSmallModel?.(messages, signal)) ?? 'nobody'}`;
    },
  };
  const setup = (more: Partial<TurnPorts>): Setup => ({
    assistant: { tools: [{ type: 'tool' }], metadata: { prompt_processor: 'shaping' } },
    tools: [tool],
    processors: [processor],
    ports: more,
  });

  it('is what the prompt processor makes of the conversation', async () => {
    queries.length = 0;
    await play(setup({ askSmallModel: () => Promise.resolve('photosynthesis') }));
    expect(queries).toEqual(['Why? 1 photosynthesis']);
  });

  it('is the person’s message when the processor fails, and the failure is reported', async () => {
    queries.length = 0;
    const error = new Error('canary');
    const { events, ports } = await play(setup({ askSmallModel: () => Promise.reject(error) }));
    expect(queries).toEqual(['Why?']);
    expect(ports.errors).toEqual([{ error, where: 'shaping' }]);
    expect(types(events).at(-1)).toBe('run.finished');
    expect(JSON.stringify(events)).not.toContain('canary');
  });

  it('is not shaped when no tool searches', async () => {
    let asked = 0;
    await play({
      ...setup({ askSmallModel: () => Promise.resolve(String((asked += 1))) }),
      assistant: { metadata: { prompt_processor: 'shaping' } },
    });
    expect(asked).toBe(0);
  });

  it('does not keep a turn beyond its deadline', async () => {
    const { events } = await play({ ...setup({ askSmallModel: hang }), deadlineMs: 10 });
    expect(types(events)).toEqual(['run.started', 'status', 'run.failed']);
    expect(events.at(-1)).toMatchObject({ code: 'deadline_exceeded' });
  });

  describe('of a tool that wants it completed from the conversation', () => {
    const rewriting = makeTool('rewriting', {
      rewritesQuery: ({ config }) => config['rewrite'] === true,
      run: ({ query, config }) => (queries.push(`${String(config['id'])} ${query}`), { content: '' }),
    });
    const request: TurnRequest = {
      messages: [
        { role: 'user', content: 'What is a vector?' },
        { role: 'assistant', content: 'An arrow.' },
        { role: 'user', content: 'How long is it?' },
      ],
      sampling: {},
    };
    const ask = (more: Partial<TurnPorts>, processor?: PromptProcessor) => {
      queries.length = 0;
      return play({
        assistant: {
          tools: [
            { type: 'rewriting', placeholder: 'a', config: { id: 'a', rewrite: true } },
            { type: 'rewriting', placeholder: 'b', config: { id: 'b', rewrite: true } },
            { type: 'rewriting', placeholder: 'c', config: { id: 'c' } },
          ],
          metadata: { verbose: true, ...(processor && { prompt_processor: processor.name }) },
        },
        tools: [rewriting],
        ...(processor && { processors: [processor] }),
        request,
        ports: more,
      });
    };

    it('is asked for once, and reaches those tools only; the trace shows it', async () => {
      let asked = 0;
      const { events, ports } = await ask({
        askSmallModel: () => {
          asked += 1;
          return Promise.resolve('length of a vector');
        },
      });
      expect(asked).toBe(1);
      expect(queries.toSorted()).toEqual(['a length of a vector', 'b length of a vector', 'c How long is it?']);
      expect(events.filter((event) => event.type === 'status' && event.text === 'rewriting the question')).toHaveLength(
        1,
      );
      await expect.poll(() => ports.traces).toMatchObject([{ query: 'length of a vector' }]);
    });

    it.each<[when: string, askSmallModel: TurnPorts['askSmallModel']]>([
      ['there is no small model', undefined],
      ['the small model fails', () => Promise.reject(new Error('canary'))],
      ['the small model says nothing', () => Promise.resolve(' ')],
    ])('is the person’s message when %s', async (_, askSmallModel) => {
      const { events, ports } = await ask({ askSmallModel });
      expect(queries.toSorted()).toEqual(['a How long is it?', 'b How long is it?', 'c How long is it?']);
      expect(JSON.stringify(events)).not.toContain('canary');
      await expect.poll(() => ports.traces).toHaveLength(1);
      expect(ports.traces[0]).not.toHaveProperty('query');
    });

    it('is what the prompt processor made, where there is one that does it for all', async () => {
      await ask({ askSmallModel: () => Promise.resolve('x') }, processor);
      expect(queries.toSorted()).toEqual(['a How long is it? 3 x', 'b How long is it? 3 x', 'c How long is it? 3 x']);
    });

    it('does not keep a turn beyond its deadline', async () => {
      const { events } = await play({
        assistant: { tools: [{ type: 'rewriting', config: { rewrite: true } }] },
        tools: [rewriting],
        request,
        ports: { askSmallModel: hang },
        deadlineMs: 10,
      });
      expect(types(events)).toEqual(['run.started', 'status', 'run.failed']);
    });
  });

  it('fills the processor’s own placeholders for tools and template', async () => {
    queries.length = 0;
    const seen: unknown[] = [];
    const { connector } = await play({
      assistant: {
        template: '{moodle_user}{tool}{user_input}',
        tools: [{ type: 'tool', config: { query: 'courses of {moodle_user}' } }],
        metadata: { prompt_processor: 'moodle' },
      },
      tools: [makeTool('tool', { run: ({ config }) => (seen.push(config.query), { content: 'C' }) })],
      processors: [
        {
          name: 'moodle',
          title: 'Moodle',
          description: '',
          placeholders: ['moodle_user'],
          values: ({ endUser }) => ({ moodle_user: endUser.id }),
        },
      ],
    });
    expect(seen).toEqual(['courses of user-1']);
    expect(connector.calls[0]?.messages[0]?.content).toBe('\n\nuser-1\n\n\n\nC\n\n\n\nWhy?\n\n');
  });
});

describe('a turn that nobody wants any more', () => {
  it('is cancelled before anything starts', async () => {
    const ran: string[] = [];
    const { events, connector } = await play({
      assistant: { tools: [{ type: 'tool' }] },
      tools: [makeTool('tool', { run: () => (ran.push('tool'), { content: '' }) })],
      ports: { signal: AbortSignal.abort() },
    });
    expect(types(events)).toEqual(['run.started', 'run.cancelled']);
    expect(connector.calls).toEqual([]);
    expect(ran).toEqual([]);
  });

  it('is cancelled while tools run, and the model is not asked', async () => {
    const caller = new AbortController();
    const { turn, connector, ports } = setUp({
      assistant: { tools: [{ type: 'tool' }] },
      tools: [makeTool('tool', { run: hang })],
      ports: { signal: caller.signal },
    });
    const events: RunEvent[] = [];
    for await (const event of turn) {
      events.push(event);
      if (event.type === 'tool.started') caller.abort();
    }
    expect(types(events)).toEqual([
      'run.started',
      'status',
      'tool.started',
      'tool.finished',
      'status',
      'run.cancelled',
    ]);
    expect(connector.calls).toEqual([]);
    expect(ports.errors).toEqual([]);
  });

  it.each<[string, ConnectorScript]>([
    ['heeds its signal', sayThenWait],
    [
      'throws its own error then',
      async function* ({ signal }) {
        yield [text('So')];
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new AppError('provider_unavailable');
      },
    ],
    [
      'ends quietly then',
      async function* ({ signal }) {
        yield [text('So')];
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    ],
    [
      'ignores its signal',
      async function* () {
        yield [text('So')];
        await hang();
      },
    ],
  ])('is cancelled in the middle of the answer of a model that %s', async (_how, script) => {
    const caller = new AbortController();
    const { turn, connector, ports } = setUp({ script, ports: { signal: caller.signal } });
    const events: RunEvent[] = [];
    for await (const event of turn) {
      events.push(event);
      if (event.type === 'text.delta') setImmediate(() => caller.abort());
    }
    expect(types(events).slice(-2)).toEqual(['text.delta', 'run.cancelled']);
    expect(connector.calls[0]?.signal.aborted).toBe(true);
    expect(ports.errors).toEqual([]);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  it('aborts the model’s connection at once when the reader stops reading, without waiting for the connector', async () => {
    const cleaned = Promise.withResolvers<boolean>();
    const { turn, connector, ports } = setUp({
      // eslint-disable-next-line @typescript-eslint/require-await -- what matters is how it ends
      script: async function* ({ signal }) {
        try {
          yield [text('So')];
          yield [text('never read')];
        } finally {
          cleaned.resolve(signal.aborted);
        }
      },
    });
    for await (const event of turn) if (event.type === 'text.delta') break;
    expect(connector.calls[0]?.signal.aborted).toBe(true);
    expect(await cleaned.promise, 'the connector cleans up after the abort, not before').toBe(true);
    expect(getEventListeners(ports.signal, 'abort')).toEqual([]);
  });

  it('aborts the model’s connection at once when the reader leaves while it waits for the next word', async () => {
    const { turn, connector, ports } = setUp({ script: sayThenWait });
    for (let event = await turn.next(); !event.done && event.value.type !== 'text.delta';) event = await turn.next();
    const pending = turn.next();
    await new Promise((resolve) => setImmediate(resolve));
    const left = turn.return();
    expect(connector.calls[0]?.signal.aborted).toBe(true);
    await Promise.all([pending, left]);
    expect(await turn.next()).toEqual({ done: true, value: undefined });
    expect(ports.errors).toEqual([]);
  });

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Error('cleanup failed'))],
    ['never ends', hang],
  ])('does not mind a connector whose cleanup %s', async (_how, cleanUp) => {
    const { turn, ports } = setUp({
      script: async function* () {
        try {
          yield [text('So')];
        } finally {
          await cleanUp();
        }
      },
    });
    for await (const event of turn) if (event.type === 'text.delta') break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(ports.errors).toEqual([]);
  });

  it('aborts the tools at once when the reader stops reading', async () => {
    const signals: AbortSignal[] = [];
    const { turn } = setUp({
      assistant: { tools: [{ type: 'tool' }] },
      tools: [makeTool('tool', { run: ({ signal }) => (signals.push(signal), hang()) })],
    });
    for await (const event of turn) if (event.type === 'tool.started') break;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('the deadline of a turn', () => {
  it('leaves no timer behind when the turn ends before it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const setup: Setup = { assistant: { tools: [{ type: 'tool' }] }, tools: [makeTool('tool')] };
      await play(setup);
      for await (const event of setUp(setup).turn) if (event.type === 'text.delta') break;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<[string, ConnectorScript]>([
    ['heeds its signal', sayThenWait],
    [
      'throws its own error then',
      async function* ({ signal }) {
        yield [text('So')];
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new AppError('provider_unavailable');
      },
    ],
    [
      'ignores its signal',
      async function* () {
        yield [text('So')];
        await hang();
      },
    ],
  ])('ends the answer of a model that %s', async (_how, script) => {
    const { events, connector, ports } = await play({ script, deadlineMs: 10 });
    expect(types(events).slice(-2)).toEqual(['text.delta', 'run.failed']);
    expect(events.at(-1)).toMatchObject({ code: 'deadline_exceeded' });
    expect(connector.calls[0]?.signal.aborted).toBe(true);
    expect(ports.errors).toEqual([]);
  });

  it('ends the tools too', async () => {
    const { events, connector } = await play({
      assistant: { tools: [{ type: 'tool' }] },
      tools: [makeTool('tool', { run: hang })],
      deadlineMs: 10,
    });
    expect(events.slice(-3).map(withoutEnvelope)).toMatchObject([
      { type: 'tool.finished', problem: { code: 'cancelled' } },
      { type: 'status', text: 'tool failed' },
      { type: 'run.failed', code: 'deadline_exceeded' },
    ]);
    expect(connector.calls).toEqual([]);
  });
});

describe('the trace of a turn', () => {
  const tools = [
    makeTool('simple_rag', {
      placeholder: 'context',
      run: () => ({ content: 'document text', sources: [{ title: 'a.pdf' }] }),
    }),
    makeTool('rubric_rag', { placeholder: 'rubric', run: () => Promise.reject(new ToolFailure('No such rubric.')) }),
  ];
  const assistant = {
    system: 'Be kind.',
    template: 'Use {context} and {rubric} for {user_input}',
    tools: [
      {
        type: 'simple_rag',
        config: { collections: ['12'], query: 'by {rubric}', api_key: 'k', nested: [{ token: 't' }] },
      },
      { type: 'rubric_rag', fallback: 'none' },
    ],
    metadata: { verbose: true },
  };

  it('says which part of the prompt came from where, and what each tool did, in sizes only', async () => {
    const { ports } = await play({ assistant, tools });
    expect(ports.traces).toEqual([
      {
        run_id: 'run-1',
        assistant_id: 7,
        connector: 'scripted',
        model: 'model-1',
        tools: [
          {
            tool: 'rubric_rag',
            placeholder: 'rubric',
            level: 0,
            input: {},
            output_chars: 4,
            sources: 0,
            milliseconds: expect.any(Number),
            problem: { code: 'failed', message: 'No such rubric.' },
          },
          {
            tool: 'simple_rag',
            placeholder: 'context',
            level: 1,
            input: {
              collections: ['12'],
              query: 'by {rubric}',
              api_key: '[redacted]',
              nested: [{ token: '[redacted]' }],
            },
            output_chars: 13,
            sources: 1,
            milliseconds: expect.any(Number),
          },
        ],
        prompt: [
          { message: 0, role: 'system', origin: 'system_prompt', start: 0, chars: 8, tokens: 8 },
          { message: 1, role: 'user', origin: 'template', start: 0, chars: 4, tokens: 4 },
          {
            message: 1,
            role: 'user',
            origin: 'tool',
            tool: 'simple_rag',
            placeholder: 'context',
            start: 4,
            chars: 17,
            tokens: 17,
          },
          { message: 1, role: 'user', origin: 'template', start: 21, chars: 5, tokens: 5 },
          {
            message: 1,
            role: 'user',
            origin: 'tool',
            tool: 'rubric_rag',
            placeholder: 'rubric',
            start: 26,
            chars: 8,
            tokens: 8,
          },
          { message: 1, role: 'user', origin: 'template', start: 34, chars: 5, tokens: 5 },
          { message: 1, role: 'user', origin: 'user_input', placeholder: 'user_input', start: 39, chars: 8, tokens: 8 },
        ],
        prompt_tokens: 55,
      },
    ]);
  });

  it('is written for verbose assistants only', async () => {
    const { ports } = await play({ assistant: { ...assistant, metadata: {} }, tools });
    expect(ports.traces).toEqual([]);
  });

  it('costs no answer when it cannot be written', async () => {
    const error = new Error('disk full');
    const { events, ports } = await play({
      assistant,
      tools,
      ports: {
        recordTrace: () => {
          throw error;
        },
      },
    });
    expect(types(events).at(-1)).toBe('run.finished');
    expect(ports.errors).toEqual([{ error, where: 'trace' }]);
  });
});

describe('secrets and document texts', () => {
  it('appear in the answer’s text if the model says them, and nowhere else', async () => {
    const secret = 'canary-7f3a';
    const tools = [
      makeTool('throwing', { run: () => Promise.reject(new Error(`refused key ${secret}`, { cause: secret })) }),
      makeTool('reading', { run: () => ({ content: `document ${secret}`, metadata: { note: secret } }) }),
      makeTool('echoing', { run: ({ config }) => ({ content: String(config.query) }) }),
      makeTool('garbage', { run: () => ({ content: 1, [secret]: secret }) as unknown as ToolResult }),
      makeTool('hanging', { run: hang }),
      makeTool('speechless', {
        status: () => {
          throw new Error(secret);
        },
      }),
    ];
    const config = {
      api_key: secret,
      'x-api-key': secret,
      Authorization: `Bearer ${secret}`,
      connection: { PASSWORD: secret, list: [{ access_token: secret, client_secret: { value: secret } }] },
      session_cookie: secret,
      passphrase: secret,
      base_url: `https://user:${secret}@kb.test/path?q=1`,
    };
    const { events, ports } = await play({
      assistant: {
        system: `System ${secret}`,
        template: `${tools.map(({ name }) => `{${name}}`).join('')} {user_input} ${secret}`,
        tools: tools.map(({ name }) => ({
          type: name,
          timeout_ms: 50,
          fallback: `fallback ${secret}`,
          config: name === 'echoing' ? { ...config, query: 'about {reading} {user_input}' } : config,
        })),
        metadata: { verbose: true },
      },
      tools,
      script: async function* ({ messages, settings }) {
        yield [text(`Your prompt was ${JSON.stringify(messages)}`)];
        await Promise.reject(new Error(`the key ${String(settings.apiKey)} was refused`));
      },
      request: { messages: [{ role: 'user', content: `question ${secret}` }] },
    });
    const isText = (event: RunEvent) => event.type === 'text.delta';
    expect(JSON.stringify(events.filter(isText))).toContain(`about document ${secret} question ${secret}`);
    expect(JSON.stringify(events.filter((event) => !isText(event)))).not.toMatch(/canary/);
    expect(types(events).at(-1)).toBe('run.failed');
    expect(ports.traces[0]?.tools).toHaveLength(tools.length);
    expect(JSON.stringify(ports.traces)).not.toMatch(/canary/);
  });
});
