import { RunEvent, type ToolCall } from '@lamb/contract';
import { ToolFailure, ToolRefusal, type Tool, type ToolResult } from '@lamb/plugin-kit';
import { createTestHost } from '@lamb/plugin-kit/conformance';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeAssistant } from './__fixtures__/make-assistant.ts';
import { makeCatalogue } from './__fixtures__/make-catalogue.ts';
import { makeFunction } from './__fixtures__/make-function.ts';
import { makePorts } from './__fixtures__/make-ports.ts';
import { createStepRunner, type Journal, type StepRunner } from './__fixtures__/run-steps.ts';
import { compilePlan } from './compile-plan.ts';
import { finishApprovedCall, startToolCall } from './execute-tool-call.ts';
import type { TurnPorts } from './turn-ports.ts';

interface Options {
  readonly tools?: readonly Tool[];
  readonly entries?: readonly Record<string, unknown>[];
  readonly name?: string;
  readonly given?: string;
  readonly refusal?: string;
  readonly ports?: Partial<TurnPorts>;
  readonly signal?: AbortSignal;
  readonly journal?: Journal;
  readonly runner?: StepRunner;
}

const city = z.object({ city: z.string().min(2) });

async function execute(options: Options = {}) {
  const { tools = [makeFunction('weather', { input: city })], signal, journal } = options;
  const entries = options.entries ?? tools.map(({ name }) => ({ type: name }));
  const assistant = makeAssistant({ tools: entries.map((entry) => ({ mode: 'function', ...entry })) });
  const { plan } = compilePlan(assistant, makeCatalogue(tools));
  const refused: unknown[] = [];
  const runner = options.runner ?? createStepRunner({ ...(signal ? { signal } : {}), ...(journal ? { journal } : {}) });
  const ports = makePorts({
    reportRefusal: ({ id }, reason) => {
      refused.push([id, reason]);
      return Promise.resolve();
    },
    ...(signal ? { signal } : {}),
    ...options.ports,
  });
  const call: ToolCall = {
    id: 'c1',
    type: 'function',
    function: { name: options.name ?? tools[0]?.name ?? '', arguments: options.given ?? '{"city":"Bilbao"}' },
  };
  const execution = { ...ports, step: runner.step };
  const result =
    (await startToolCall(plan, call, options.refusal, execution)) ?? (await finishApprovedCall(plan, call, execution));
  const finished = runner.events.find((event) => event.type === 'call.finished');
  const message = { content: typeof result === 'string' ? result : result.content };
  return { result, message, finished, refused, ...runner, errors: ports.errors };
}

describe('a call', () => {
  it('is run, and told in order', async () => {
    const { message, events, completed } = await execute();
    expect(message).toEqual({ content: 'weather {"city":"Bilbao"}' });
    expect(completed).toEqual(['call:c1']);
    expect(events).toEqual([
      { step: 'call:c1', type: 'status', text: 'calling weather', tool: 'weather' },
      {
        step: 'call:c1',
        type: 'call.finished',
        call_id: 'c1',
        name: 'weather',
        tool: 'weather',
        outcome: 'done',
        milliseconds: expect.any(Number),
        chars: 25,
      },
      { step: 'call:c1', type: 'status', text: 'weather completed' },
    ]);
    for (const event of events) {
      expect(RunEvent.safeParse({ ...event, run_id: 'r', seq: 1, time: 0, attempt: 1 }).error).toBeUndefined();
    }
  });

  it('gives the tool its configuration, validated arguments, a key of its own and a host for this call', async () => {
    let got: unknown;
    const scopes: string[] = [];
    await execute({
      tools: [
        makeFunction('weather', {
          input: z.object({ city: z.string(), days: z.number().default(3) }),
          run: ({ config, arguments: given, idempotencyKey }) => {
            got = { config, given, idempotencyKey };
            return { content: '' };
          },
        }),
      ],
      entries: [{ type: 'weather', config: { unit: 'C' } }],
      given: '{"city":"Bilbao","user_id":"admin","organization_id":"other"}',
      ports: {
        openHost: ({ callId }) => {
          scopes.push(callId);
          return createTestHost();
        },
      },
    });
    expect(got).toEqual({
      config: { unit: 'C' },
      given: { city: 'Bilbao', days: 3 },
      idempotencyKey: 'run-1:c1',
    });
    expect(scopes).toEqual(['c1']);
  });

  it('passes on what the host tells while it works', async () => {
    const { events } = await execute({
      tools: [
        makeFunction('f', { run: async ({ host, signal }) => ({ content: (await host.fetch('x', signal)).text }) }),
      ],
      ports: {
        openHost: ({ callId, emit }) =>
          createTestHost({
            fetch: () => {
              emit({ type: 'status', text: 'inside', parent_call_id: callId });
              return Promise.resolve({ status: 200, text: '' });
            },
          }),
      },
    });
    expect(events.map((event) => (event.type === 'status' ? event.text : event.type))).toEqual([
      'calling f',
      'inside',
      'call.finished',
      'f completed',
    ]);
    expect(events[1]).toMatchObject({ parent_call_id: 'c1', step: 'call:c1' });
  });

  it('shows sources and artifacts', async () => {
    const { events, finished, message } = await execute({
      tools: [
        makeFunction('f', {
          run: () => ({
            content: 'text',
            sources: [{ title: 'a.pdf', page: 3 }],
            artifacts: [{ kind: 'diff', title: 'a.md', text: '+x' }],
          }),
        }),
      ],
      entries: [{ type: 'f', config: { as: 'find' } }],
      name: 'find',
    });
    expect(finished).toMatchObject({ artifacts: [{ kind: 'diff', title: 'a.md', text: '+x' }] });
    expect(events.filter(({ type }) => type === 'source')).toMatchObject([
      { source: { title: 'a.pdf', page: 3, tool: 'f', placeholder: 'find' } },
    ]);
    expect(message.content).toBe('text');
  });

  it('gives passages as they are, and leaves their sources to be told when they are numbered', async () => {
    const { events, finished, result } = await execute({
      tools: [
        makeFunction('f', {
          run: () => ({ content: '', passages: [{ text: 'A force.', source: { title: 'a.pdf', page: 3 } }] }),
        }),
      ],
    });
    expect(finished).toMatchObject({ chars: 'A force.'.length });
    expect(events.map(({ type }) => type)).not.toContain('source');
    const source = { title: 'a.pdf', page: 3, tool: 'f', placeholder: 'f' };
    expect(result).toEqual({ content: '', passages: [{ text: 'A force.', source }], sources: [] });
  });

  it('gives no more passages than a model reads', async () => {
    const passages = Array.from({ length: 5 }, (_, index) => ({
      text: 'x'.repeat(60_000),
      source: { title: String(index) },
    }));
    const { result } = await execute({ tools: [makeFunction('f', { run: () => ({ content: '', passages }) })] });
    expect(typeof result === 'string' ? [] : result.passages?.map(({ source }) => source.title)).toEqual([
      '0',
      '1',
      '2',
    ]);
  });
});

describe('a call that cannot be made', () => {
  it.each(['Weather', 'WEATHER', 'wеather', 'weather ', ' weather', 'weather\u200b', '__proto__', 'constructor', ''])(
    'of “%s” lists the known functions, runs nothing and is reported',
    async (name) => {
      const { message, finished, refused, ran } = await execute({
        tools: [makeFunction('weather', { run: () => expect.unreachable() }), makeFunction('moodle')],
        name,
      });
      expect(message.content).toBe(`There is no function “${name}”. Known: weather, moodle.`);
      expect(finished).toMatchObject({ outcome: 'refused', tool: null, name });
      expect(refused).toEqual([['c1', 'unknown_function']]);
      expect(ran).toEqual(['call:c1']);
    },
  );

  it('because it is not allowed is reported, and its arguments are not even looked at', async () => {
    const { message, finished, refused } = await execute({
      tools: [makeFunction('weather', { run: () => expect.unreachable() })],
      given: '{broken',
      ports: { authorizeCall: ({ spec }) => Promise.resolve(`No ${spec.name} for you.`) },
    });
    expect(message.content).toBe('No weather for you.');
    expect(finished).toMatchObject({ outcome: 'refused', problem: 'No weather for you.' });
    expect(refused).toEqual([['c1', 'forbidden']]);
  });

  it('because the guard refused it is told why, and nobody is asked', async () => {
    const { message, finished, refused } = await execute({
      refusal: 'Enough.',
      ports: { authorizeCall: () => expect.unreachable() },
    });
    expect({ content: message.content, finished, refused }).toMatchObject({
      content: 'Enough.',
      finished: { outcome: 'refused' },
      refused: [],
    });
  });

  it.each([
    ['half JSON', '{"city":', /not valid JSON. Send one JSON object/],
    ['not JSON', 'Bilbao', /not valid JSON/],
    ['a wrong type', '{"city":7}', /The arguments are not valid. city: .*string/],
    ['too little', '{"city":"B"}', /city: Too small/],
    ['a missing field', '', /city: .*expected string/],
    ['no object', '[]', /arguments: .*expected object/],
    ['null', 'null', /arguments: .*expected object/],
    ['more than a megabyte', JSON.stringify({ city: 'x'.repeat(1_000_000) }), /too long/],
  ])('with %s as arguments tells the model what to mend', async (_what, given, told) => {
    const { message, finished } = await execute({
      tools: [makeFunction('weather', { input: city, run: () => expect.unreachable() })],
      given,
    });
    expect(message.content).toMatch(told);
    expect(message.content.length).toBeLessThan(500);
    expect(finished).toMatchObject({ outcome: 'failed' });
  });

  it('takes a megabyte of good arguments', async () => {
    const given = JSON.stringify({ city: 'x'.repeat(999_000) });
    const { finished } = await execute({
      tools: [makeFunction('weather', { input: city, run: () => ({ content: 'ok' }) })],
      given,
    });
    expect(finished).toMatchObject({ outcome: 'done', chars: 2 });
  });

  it('because its schema throws costs the call, not the turn', async () => {
    const { message, errors } = await execute({
      tools: [
        makeFunction('weather', {
          input: z.record(z.string(), z.unknown()).refine(() => {
            throw new Error('canary');
          }),
        }),
      ],
    });
    expect(message.content).toBe('The arguments could not be checked.');
    expect(errors).toMatchObject([{ where: 'weather', error: { message: 'canary' } }]);
  });
});

describe('a tool that fails', () => {
  const failing = (run: () => ToolResult | Promise<ToolResult>) => [makeFunction('f', { run })];

  it.each<[what: string, run: () => ToolResult | Promise<ToolResult>, told: string, outcome: string]>([
    ['with a reason', () => Promise.reject(new ToolFailure('The server is down.')), 'The server is down.', 'failed'],
    ['because it may not', () => Promise.reject(new ToolRefusal('Not yours.')), 'Not yours.', 'refused'],
    ['unexpectedly', () => Promise.reject(new Error('canary key')), 'It failed unexpectedly.', 'failed'],
    ['with nonsense', () => 42 as unknown as ToolResult, 'It returned something that is not a result.', 'failed'],
    ['with an error', () => ({ content: '', error: 'No such city.' }), 'No such city.', 'failed'],
    ['half-way', () => ({ content: 'Half.', error: 'No more.' }), 'Half.\n\nNo more.', 'failed'],
  ])('%s is a result for the model', async (_what, run, told, outcome) => {
    const { message, finished, events } = await execute({ tools: failing(run) });
    expect(message.content).toBe(told);
    expect(finished).toMatchObject({ outcome });
    expect(events.at(-1)).toMatchObject({ text: 'f failed' });
    expect(JSON.stringify(events)).not.toContain('canary');
  });

  it('after its deadline is not waited for, and its signal is aborted', async () => {
    let given: AbortSignal | undefined;
    const { message } = await execute({
      tools: [
        makeFunction('f', {
          timeoutMs: 5,
          run: ({ signal }) => {
            given = signal;
            return new Promise<never>(() => undefined);
          },
        }),
      ],
    });
    expect(message.content).toBe('It took longer than 5 ms.');
    expect(given?.aborted).toBe(true);
  });

  it('by saying too much is cut', async () => {
    const { message } = await execute({ tools: failing(() => ({ content: 'x'.repeat(200_001) })) });
    expect(message.content).toBe(`${'x'.repeat(200_000)}\n[cut here]`);
  });

  it('because the turn was aborted ends the turn', async () => {
    const controller = new AbortController();
    const running = execute({
      tools: [makeFunction('f', { run: () => new Promise<never>(() => undefined) })],
      signal: controller.signal,
    });
    await new Promise(setImmediate);
    controller.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
  });
});

describe('a call that needs approval', () => {
  const runs: string[] = [];
  const tools = [
    makeFunction('mail', {
      effect: 'once',
      run: ({ idempotencyKey }) => {
        runs.push(idempotencyKey);
        return { content: 'sent' };
      },
    }),
  ];
  const tell = (events: readonly { type: string; step: string }[]) => events.map(({ type, step }) => `${step} ${type}`);

  it('asks, and runs when it is approved', async () => {
    runs.length = 0;
    const { message, events, completed } = await execute({
      tools,
      ports: { approve: (id) => Promise.resolve(id === 'c1' ? 'approved' : 'rejected') },
    });
    expect(message.content).toBe('sent');
    expect(runs).toEqual(['run-1:c1']);
    expect(completed).toEqual(['ask:c1', 'call:c1']);
    expect(tell(events)).toEqual([
      'ask:c1 call.approval_required',
      'call:c1 status',
      'call:c1 call.finished',
      'call:c1 status',
    ]);
    expect(events[0]).toHaveProperty('arguments', expect.any(String));
  });

  it('tells the model when it is rejected', async () => {
    runs.length = 0;
    const { message, finished } = await execute({ tools, ports: { approve: () => Promise.resolve('rejected') } });
    expect(message.content).toMatch(/rejected this call. Do not try it again/);
    expect(finished).toMatchObject({ outcome: 'rejected' });
    expect(runs).toEqual([]);
  });

  it('is refused where nobody can be asked', async () => {
    runs.length = 0;
    const { message, finished, completed } = await execute({ tools });
    expect(message.content).toMatch(/needs the person’s approval, and they cannot be asked here/);
    expect(finished).toMatchObject({ outcome: 'refused' });
    expect({ runs, completed }).toEqual({ runs: [], completed: ['ask:c1'] });
  });

  it.each([
    ['its arguments are wrong', { given: '{' }],
    ['it is not allowed', { ports: { authorizeCall: () => Promise.resolve('No.') } }],
    ['the guard refused it', { refusal: 'Enough.' }],
  ])('bothers nobody when %s', async (_what, options) => {
    runs.length = 0;
    const { events } = await execute({
      tools,
      ...options,
      ports: { approve: () => expect.unreachable(), ...('ports' in options ? options.ports : {}) },
    });
    expect(tell(events)).toEqual(['ask:c1 call.finished', 'ask:c1 status']);
    expect(runs).toEqual([]);
  });

  it('is checked again after the approval, days later', async () => {
    runs.length = 0;
    let allowed = true;
    const { message, refused } = await execute({
      tools,
      ports: {
        authorizeCall: () => Promise.resolve(allowed ? undefined : 'No longer.'),
        approve: () => {
          allowed = false;
          return Promise.resolve('approved');
        },
      },
    });
    expect(message.content).toBe('No longer.');
    expect({ runs, refused }).toEqual({ runs: [], refused: [['c1', 'forbidden']] });
  });

  it('runs without asking when its creator switched that off', async () => {
    runs.length = 0;
    const { completed } = await execute({ tools, entries: [{ type: 'mail', approval: false }] });
    expect({ runs, completed }).toEqual({ runs: ['run-1:c1'], completed: ['call:c1'] });
  });
});

describe('an effect that must happen once', () => {
  const journal = { results: new Map<string, string>(), begun: new Set(['call:c1']) };
  const entries = [{ type: 'f', approval: false }];

  it('is not tried again when an earlier attempt got as far as that', async () => {
    const { message, finished } = await execute({
      tools: [makeFunction('f', { effect: 'once', run: () => expect.unreachable() })],
      entries,
      journal,
    });
    expect(message.content).toMatch(/not known whether it took effect. Tell the person, and do not repeat it/);
    expect(finished).toMatchObject({ outcome: 'unknown' });
  });

  const never = () => new Promise<never>(() => undefined);
  it.each<[what: string, run: () => ToolResult | Promise<ToolResult>, problem: RegExp]>([
    ['it takes too long', never, /took longer than 5 ms/],
    ['it throws', () => Promise.reject(new Error('canary: connection lost')), /failed unexpectedly/],
    ['it returns nonsense', () => 42 as unknown as ToolResult, /not a result/],
  ])('may have happened when %s', async (_what, run, problem) => {
    const { message, finished, events } = await execute({
      tools: [makeFunction('f', { effect: 'once', timeoutMs: 5, run })],
      entries,
    });
    expect(message.content).toMatch(/not known whether it took effect. Tell the person, and do not repeat it/);
    expect(finished).toMatchObject({ outcome: 'unknown', problem: expect.stringMatching(problem) as string });
    expect(JSON.stringify(events)).not.toContain('canary');
  });

  it.each([
    ['failed', new ToolFailure('Nothing was sent.')],
    ['refused', new ToolRefusal('Not yours.')],
  ])('is %s when the tool itself says so', async (outcome, error) => {
    const { finished } = await execute({
      tools: [makeFunction('f', { effect: 'once', run: () => Promise.reject(error) })],
      entries,
    });
    expect(finished).toMatchObject({ outcome, problem: error.message });
  });

  it('may have happened when the turn is aborted meanwhile, which is told before the turn ends', async () => {
    const controller = new AbortController();
    const runner = createStepRunner({ signal: controller.signal });
    const running = execute({
      tools: [
        makeFunction('f', {
          effect: 'once',
          run: () => {
            controller.abort(new Error('gone'));
            return never();
          },
        }),
      ],
      entries,
      runner,
    });
    await expect(running).rejects.toThrow('gone');
    expect(runner.events.find(({ type }) => type === 'call.finished')).toMatchObject({ outcome: 'unknown' });
  });

  it('has not happened when the turn was aborted before it began', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    const runner = createStepRunner({ signal });
    const tools = [makeFunction('f', { effect: 'once', run: () => expect.unreachable() })];
    await expect(execute({ tools, entries, runner })).rejects.toThrow('gone');
    expect(runner.events).toEqual([]);
  });

  it.each(['none', 'idempotent'] as const)('is not what effect %s means: it is run again', async (effect) => {
    const { finished } = await execute({ tools: [makeFunction('f', { effect })], entries, journal });
    expect(finished).toMatchObject({ outcome: 'done' });
  });
});
