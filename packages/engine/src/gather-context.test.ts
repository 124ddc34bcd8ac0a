import type { ToolProblem } from '@lamb/contract';
import { ToolFailure, type Tool, type ToolResult } from '@lamb/plugin-kit';
import { describe, expect, it } from 'vitest';
import { drain, listen } from './__fixtures__/drain.ts';
import { makeAssistant } from './__fixtures__/make-assistant.ts';
import { makeCatalogue } from './__fixtures__/make-catalogue.ts';
import { makePorts } from './__fixtures__/make-ports.ts';
import { makeTool } from './__fixtures__/make-tool.ts';
import { compilePlan } from './compile-plan.ts';
import type { EventBody } from './event-sequence.ts';
import { gatherContext, type GatherInput } from './gather-context.ts';

type Entries = readonly Record<string, unknown>[];

function start(tools: readonly Tool[], entries: Entries, input: Partial<GatherInput> = {}) {
  const { openHost, reportError, errors, signal } = makePorts();
  const { plan } = compilePlan(makeAssistant({ tools: entries }), makeCatalogue(tools));
  const given: GatherInput = {
    userInput: 'Why?',
    query: 'Why?',
    rewriteQuery: () => Promise.resolve('Why not?'),
    messages: [{ role: 'user', content: 'Why?' }],
    processorValues: new Map(),
    openHost,
    reportError,
    signal,
    ...input,
  };
  const events = listen((emit: (event: EventBody) => void) => gatherContext(plan, given, emit));
  return { events, errors };
}

async function gather(tools: readonly Tool[], entries: Entries, input: Partial<GatherInput> = {}) {
  const { events, errors } = start(tools, entries, input);
  return { ...(await drain(events)), errors };
}

/** An event in one line, its time left out. */
function tell(event: EventBody): string {
  switch (event.type) {
    case 'status':
      return event.text;
    case 'tool.started':
      return `> ${event.tool} {${event.placeholder}}`;
    case 'tool.finished':
      return `< ${event.tool} {${event.placeholder}} ${event.ok ? String(event.chars) : (event.problem?.code ?? '?')}`;
    case 'source':
      return `source ${event.source.title} ${event.source.tool} {${event.source.placeholder}}`;
    default:
      return event.type;
  }
}

describe('tools on several placeholders, one used twice, one depending on another', () => {
  const pending = new Map<string, PromiseWithResolvers<ToolResult>>();
  const queries = new Map<string, string | undefined>();
  const waiting = (name: string, placeholder: string, status?: (id: string) => string) =>
    makeTool(name, {
      placeholder,
      ...(status && { status: ({ config }) => status(String(config['id'])) }),
      run: ({ config }) => {
        const deferred = Promise.withResolvers<ToolResult>();
        const id = String(config['id']);
        pending.set(id, deferred);
        queries.set(id, config.query);
        return deferred.promise;
      },
    });
  const tools = [
    waiting('simple_rag', 'context', (id) => `querying knowledge base ${id}`),
    waiting('rubric_rag', 'rubric', (id) => `generating rubric ${id}`),
    waiting('single_file_rag', 'file', (id) => `reading file ${id}`),
    waiting('moodle', 'moodle_courses'),
  ];
  const entries = [
    { type: 'simple_rag', placeholder: 'glossary', config: { id: '31', query: 'terms in: {rubric} for {user_input}' } },
    { type: 'simple_rag', config: { id: '12' } },
    { type: 'rubric_rag', config: { id: 'essay' } },
    { type: 'single_file_rag', config: { id: 'notes.md' } },
    { type: 'moodle', config: { id: 'courses' } },
  ];
  const finish = (id: string, content: string) =>
    pending.get(id)?.resolve({ content, sources: [{ title: `${id} 1` }, { title: `${id} 2`, similarity: 0.5 }] });

  it('start as soon as what they refer to is there, and tell it in the order it happens', async () => {
    const { events } = start(tools, entries);
    const read = async (count: number) => {
      const lines: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const step = await events.next();
        lines.push(step.done ? 'done' : tell(step.value));
      }
      return lines;
    };

    expect(await read(8)).toEqual([
      'querying knowledge base 12',
      '> simple_rag {context}',
      'generating rubric essay',
      '> rubric_rag {rubric}',
      'reading file notes.md',
      '> single_file_rag {file}',
      'calling moodle',
      '> moodle {moodle_courses}',
    ]);
    expect([...pending.keys()]).toEqual(['12', 'essay', 'notes.md', 'courses']);

    finish('notes.md', 'F');
    expect(await read(2)).toEqual(['< single_file_rag {file} 1', 'single_file_rag completed']);
    finish('courses', '');
    expect(await read(2)).toEqual(['< moodle {moodle_courses} 0', 'moodle completed']);
    expect(pending.has('31'), 'it waits for what it refers to').toBe(false);
    finish('essay', 'clarity');
    expect(await read(4)).toEqual([
      '< rubric_rag {rubric} 7',
      'rubric_rag completed',
      'querying knowledge base 31',
      '> simple_rag {glossary}',
    ]);
    expect(pending.has('31'), 'it waits for nothing else').toBe(true);
    finish('12', 'C');
    expect(await read(2)).toEqual(['< simple_rag {context} 1', 'simple_rag completed']);
    expect(queries.get('31')).toBe('terms in: clarity for Why?');
    expect(queries.get('12')).toBeUndefined();
    finish('31', 'G');
    expect(await read(3)).toEqual(['< simple_rag {glossary} 1', 'simple_rag completed', 'merging tool outputs']);
    expect(await read(11)).toEqual([
      'source 12 1 simple_rag {context}',
      'source 12 2 simple_rag {context}',
      'source essay 1 rubric_rag {rubric}',
      'source essay 2 rubric_rag {rubric}',
      'source notes.md 1 single_file_rag {file}',
      'source notes.md 2 single_file_rag {file}',
      'source courses 1 moodle {moodle_courses}',
      'source courses 2 moodle {moodle_courses}',
      'source 31 1 simple_rag {glossary}',
      'source 31 2 simple_rag {glossary}',
      'done',
    ]);
  });

  it('take as long as the slowest chain, not as long as all of them together', async () => {
    const slow = makeTool('slow', {
      run: () => new Promise((resolve) => setTimeout(() => resolve({ content: 'x' }), 60)),
    });
    const started = performance.now();
    const { result } = await gather(
      [slow],
      [
        { type: 'slow', placeholder: 'a' },
        { type: 'slow', placeholder: 'b' },
        { type: 'slow', placeholder: 'c' },
        { type: 'slow', placeholder: 'd', config: { query: '{a}' } },
      ],
    );
    const total = performance.now() - started;
    const sum = result.reduce((milliseconds, tool) => milliseconds + tool.milliseconds, 0);
    expect(total / sum).toBeGreaterThan(0.4);
    expect(total / sum).toBeLessThan(0.75);
    expect(result.map(({ level }) => level)).toEqual([0, 0, 0, 1]);
  });
});

describe('what a tool is given', () => {
  it('is its configuration with the placeholders filled, never scanned again, and nothing of what others were given', async () => {
    const seen: unknown[] = [];
    const tool = makeTool('tool', {
      run: ({ config, query, messages }) => {
        seen.push({ config, query, messages });
        return { content: '{b} $& {moodle_user}' };
      },
    });
    const messages = [{ role: 'user' as const, content: 'Why {a}?' }];
    await gather(
      [tool],
      [
        { type: 'tool', placeholder: 'a', config: { query: '{user_input}/{gone}', note: '{b}' } },
        { type: 'tool', placeholder: 'b', config: { query: '{a}/{moodle_user}' } },
      ],
      { userInput: 'Why {a}?', query: 'because', messages, processorValues: new Map([['moodle_user', 'ana']]) },
    );
    expect(seen).toEqual([
      { config: { query: 'Why {a}?/', note: '{b}' }, query: 'because', messages },
      { config: { query: '{b} $& {moodle_user}/ana' }, query: 'because', messages },
    ]);
  });

  it('is nothing at all when the assistant has no context tool', async () => {
    expect(await gather([], [])).toEqual({ events: [], result: [], errors: [] });
  });
});

describe('a tool that fails', () => {
  const good = makeTool('good');
  const secret = 'canary-secret';
  type Run = () => ToolResult | Promise<ToolResult>;
  const garbage =
    (value: unknown): Run =>
    () =>
      value as ToolResult;
  const notAResult = { code: 'invalid_result', message: 'It returned something that is not a result.' } as const;
  const unexpected = { code: 'failed', message: 'It failed unexpectedly.' } as const;

  const cases: readonly (readonly [what: string, run: Run, problem: ToolProblem, reported: boolean])[] = [
    [
      'says why',
      () => Promise.reject(new ToolFailure('The knowledge base is down.')),
      { code: 'failed', message: 'The knowledge base is down.' },
      false,
    ],
    ['throws', () => Promise.reject(new Error(secret)), unexpected, true],
    [
      'throws before its first await',
      () => {
        throw new TypeError(secret);
      },
      unexpected,
      true,
    ],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- tools do what they like
    ['throws something that is no error', () => Promise.reject(undefined), unexpected, true],
    [
      'returns an error as its result',
      () => ({ content: '', error: 'No such rubric.' }),
      { code: 'failed', message: 'No such rubric.' },
      false,
    ],
    ['returns nothing', garbage(undefined), notAResult, false],
    ['returns null', garbage(null), notAResult, false],
    ['returns a number', garbage(42), notAResult, false],
    ['returns text', garbage(secret), notAResult, false],
    ['returns the wrong shape', garbage({ text: secret }), notAResult, false],
    ['returns content that is not text', garbage({ content: [secret] }), notAResult, false],
    ['returns sources without a title', garbage({ content: secret, sources: [{ url: 'x' }] }), notAResult, false],
    [
      'returns an object that defends itself',
      garbage({
        get content(): string {
          throw new Error(secret);
        },
      }),
      unexpected,
      true,
    ],
    [
      'returns more text than any model reads',
      () => ({ content: 'x'.repeat(2_000_001) }),
      { code: 'invalid_result', message: 'It returned 2000001 characters; at most 2000000 fit.' },
      false,
    ],
    [
      'returns more sources than anyone reads',
      () => ({ content: 'x', sources: Array.from({ length: 1001 }, () => ({ title: 't' })) }),
      { code: 'invalid_result', message: 'It returned 1001 sources; at most 1000 fit.' },
      false,
    ],
  ];

  it.each(cases)(
    'because it %s is a value: the others go on, and the event says what failed',
    async (_what, run, problem, reported) => {
      const { events, result, errors } = await gather(
        [good, makeTool('bad', { run })],
        [
          { type: 'bad', fallback: 'Nothing today.' },
          { type: 'good', config: { query: '{bad}' } },
        ],
      );
      expect(events.map(tell)).toEqual([
        'calling bad',
        '> bad {bad}',
        `< bad {bad} ${problem.code}`,
        'bad failed',
        'calling good',
        '> good {good}',
        '< good {good} 15',
        'good completed',
        'merging tool outputs',
      ]);
      expect(events[2]).toMatchObject({ ok: false, chars: 'Nothing today.'.length, problem });
      expect(result).toMatchObject([
        { content: 'Nothing today.', sources: [], problem },
        { content: 'what good found', sources: [] },
      ]);
      expect(result[1]).not.toHaveProperty('problem');
      expect(errors.map(({ where }) => where)).toEqual(reported ? ['bad'] : []);
      expect(JSON.stringify([events, result])).not.toContain(secret);
    },
  );

  it('takes exactly as much text and as many sources as fit', async () => {
    const full = { content: 'x'.repeat(2_000_000), sources: Array.from({ length: 1000 }, () => ({ title: 't' })) };
    const { result } = await gather([makeTool('full', { run: () => full })], [{ type: 'full' }]);
    expect(result[0]).not.toHaveProperty('problem');
  });

  it('with part of its result contributes that part, not the fallback', async () => {
    const partial = makeTool('partial', {
      run: () => ({ content: 'half', sources: [{ title: 's' }], error: 'Collection 15 did not answer.' }),
    });
    const { result, events } = await gather([partial], [{ type: 'partial', fallback: 'Nothing today.' }]);
    expect(result).toMatchObject([
      {
        content: 'half',
        sources: [{ title: 's', tool: 'partial', placeholder: 'partial' }],
        problem: { code: 'failed' },
      },
    ]);
    expect(events.map(tell)).toContain('source s partial {partial}');
  });

  it('hands its fallback to the tools that depend on it', async () => {
    const queries: unknown[] = [];
    const tools = [
      makeTool('bad', { run: () => Promise.reject(new ToolFailure('down')) }),
      makeTool('next', { run: ({ config }) => (queries.push(config.query), { content: '' }) }),
    ];
    await gather(tools, [
      { type: 'bad', placeholder: 'a', fallback: 'plan B' },
      { type: 'bad', placeholder: 'b' },
      { type: 'next', config: { query: '[{a}][{b}]' } },
    ]);
    expect(queries).toEqual(['[plan B][]']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error(secret);
      },
    ],
    ['is nothing', () => undefined as unknown as string],
    ['is not text', () => 42 as unknown as string],
    ['holds what is not text', () => ['fine', { secret }] as unknown as string[]],
  ])('only with a status that %s still runs, under the plain status', async (_what, status) => {
    const { events, result } = await gather([makeTool('odd', { status })], [{ type: 'odd' }]);
    expect(events.map(tell)).toEqual([
      'calling odd',
      '> odd {odd}',
      '< odd {odd} 14',
      'odd completed',
      'merging tool outputs',
    ]);
    expect(result[0]?.content).toBe('what odd found');
  });

  it('before it starts, because it cannot run, says so in the same way', async () => {
    const { events, result } = await gather(
      [good],
      [
        { type: 'unknown', placeholder: 'x', fallback: 'plan B' },
        { type: 'good', placeholder: 'self', config: { query: '{self}' } },
        { type: 'good', placeholder: 'typed', config: { query: 7 } },
      ],
    );
    expect(result).toMatchObject([
      { content: '', problem: { code: 'invalid_config', message: 'It waits for a tool that waits for it.' } },
      { content: 'plan B', problem: { code: 'invalid_config', message: 'There is no tool “unknown”. Known: good.' } },
      { content: '', problem: { code: 'invalid_config' } },
    ]);
    expect(events.map(tell)).toContain('< unknown {x} invalid_config');
  });
});

describe('a tool that takes too long', () => {
  it('is left behind at its deadline even if it ignores its signal, and its late failure hurts nobody', async () => {
    const late = Promise.withResolvers<ToolResult>();
    const signals: AbortSignal[] = [];
    const deaf = makeTool('deaf', { run: ({ signal }) => (signals.push(signal), late.promise) });
    const { result, errors } = await gather([deaf], [{ type: 'deaf', timeout_ms: 5, fallback: 'late' }]);
    expect(result).toMatchObject([
      { content: 'late', problem: { code: 'timeout', message: 'It took longer than 5 ms.' } },
    ]);
    expect(signals[0]?.aborted).toBe(true);
    late.reject(new Error('much later'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([]);
  });

  it('times out under the same name when it heeds its signal, whatever it throws then', async () => {
    const heeding = makeTool('heeding', {
      run: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new ToolFailure('The operation was aborted.')));
        }),
    });
    const { result, errors } = await gather([heeding], [{ type: 'heeding', timeout_ms: 5 }]);
    expect(result[0]?.problem?.code).toBe('timeout');
    expect(errors).toEqual([]);
  });

  it('has the time that the tool declares when the assistant says nothing', async () => {
    const never = makeTool('never', { timeoutMs: 5, run: () => new Promise(() => undefined) });
    const { result } = await gather([never], [{ type: 'never' }]);
    expect(result[0]?.problem?.message).toBe('It took longer than 5 ms.');
  });
});

describe('a turn that ends while tools run', () => {
  it('aborts them at once, starts no others, and throws the reason', async () => {
    const turn = new AbortController();
    const ran: string[] = [];
    const signals: AbortSignal[] = [];
    const tools = [
      makeTool('hanging', {
        run: ({ signal }) => (signals.push(signal), new Promise<ToolResult>(() => undefined)),
      }),
      makeTool('next', { run: () => (ran.push('next'), { content: '' }) }),
    ];
    const entries = [{ type: 'hanging' }, { type: 'next', config: { query: '{hanging}' } }];
    const { events, errors } = start(tools, entries, { signal: turn.signal });
    const lines: string[] = [];
    const reason = new Error('gone');
    const reading = (async () => {
      for await (const event of events) {
        lines.push(tell(event));
        if (event.type === 'tool.started') turn.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(lines).toEqual([
      'calling hanging',
      '> hanging {hanging}',
      '< hanging {hanging} cancelled',
      'hanging failed',
    ]);
    expect(ran).toEqual([]);
    expect(errors).toEqual([]);
  });
});
