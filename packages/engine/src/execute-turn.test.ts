import type { ChatMessage, RunEvent } from '@lamb/contract';
import type { ModelCall, Tool } from '@lamb/plugin-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeAssistant } from './__fixtures__/make-assistant.ts';
import { makeCatalogue } from './__fixtures__/make-catalogue.ts';
import { makeConnector, type ConnectorScript } from './__fixtures__/make-connector.ts';
import { makeFunction } from './__fixtures__/make-function.ts';
import { makePorts } from './__fixtures__/make-ports.ts';
import { createStepRunner, Killed, type Journal } from './__fixtures__/run-steps.ts';
import { sayInTurn } from './__fixtures__/say-in-turn.ts';
import { compilePlan } from './compile-plan.ts';
import { executeTurn } from './execute-turn.ts';
import { runTurn } from './run-turn.ts';
import type { TurnPorts } from './turn-ports.ts';

interface Setup {
  readonly tools?: readonly Tool[];
  readonly entries?: readonly Record<string, unknown>[];
  readonly script: ConnectorScript;
  readonly limits?: Record<string, number>;
  readonly ports?: Partial<TurnPorts>;
  readonly runner?: Parameters<typeof createStepRunner>[0];
}

const echo = makeFunction('echo');
const request = { messages: [{ role: 'user' as const, content: 'Why?' }], sampling: {} };

function prepare({ tools = [echo], entries, script, limits, ports }: Setup) {
  const assistant = makeAssistant({
    tools: (entries ?? tools.map(({ name }) => ({ type: name }))).map((entry) => ({ mode: 'function', ...entry })),
    metadata: limits ? { limits } : {},
  });
  const connector = makeConnector(script);
  const model = { connector, model: 'model-1', settings: {} };
  return {
    plan: compilePlan(assistant, makeCatalogue(tools)).plan,
    ports: makePorts({ model, ...ports }),
    connector,
  };
}

async function execute(setup: Setup) {
  const { plan, ports, connector } = prepare(setup);
  const runner = createStepRunner(setup.runner);
  await executeTurn(plan, request, { ...ports, step: runner.step });
  return { ...runner, connector, asked: connector.calls.map(({ messages }) => messages), errors: ports.errors };
}

/** What the model was told of its calls in its last turn. */
function toldTo(calls: readonly ModelCall[]): unknown[] {
  return (calls.at(-1)?.messages ?? []).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
}

function outcomes(events: readonly { type: string; outcome?: unknown }[]): unknown[] {
  return events.flatMap((event) => (event.type === 'call.finished' ? [event.outcome] : []));
}

describe('a turn with calls', () => {
  it('tells everything in order, and asks the model again with the calls and their results', async () => {
    const { events, asked, completed } = await execute({
      tools: [makeFunction('weather'), makeFunction('moodle')],
      script: sayInTurn(
        {
          text: 'Let me look. ',
          calls: [
            ['weather', { city: 'Bilbao' }],
            ['moodle', {}],
          ],
        },
        'It rains.',
      ),
    });
    const tell = events.map((event) => {
      if (event.type === 'status' || event.type === 'text.delta') return `${event.step} ${event.type} ${event.text}`;
      return 'call_id' in event
        ? `${event.step} ${event.type} ${event.call_id} ${event.name}`
        : `${event.step} ${event.type}`;
    });
    expect(tell).toEqual([
      'context run.started',
      'context prompt.rendered',
      'model:1 text.delta Let me look. ',
      'model:1 usage',
      'model:1 call.requested c1 weather',
      'model:1 call.requested c2 moodle',
      'call:c1 status calling weather',
      'call:c2 status calling moodle',
      'call:c1 call.finished c1 weather',
      'call:c1 status weather completed',
      'call:c2 call.finished c2 moodle',
      'call:c2 status moodle completed',
      'model:2 text.delta It rains.',
      'model:2 usage',
      'model:2 run.finished',
    ]);
    expect(completed).toEqual(['context', 'model:1', 'call:c1', 'call:c2', 'model:2']);
    const call = (id: string, name: string, text: string) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    });
    expect(asked).toEqual([
      [{ role: 'user', content: '\n\nWhy?\n\n' }],
      [
        { role: 'user', content: '\n\nWhy?\n\n' },
        {
          role: 'assistant',
          content: 'Let me look. ',
          tool_calls: [call('c1', 'weather', '{"city":"Bilbao"}'), call('c2', 'moodle', '{}')],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'weather {"city":"Bilbao"}' },
        { role: 'tool', tool_call_id: 'c2', content: 'moodle {}' },
      ],
    ]);
  });

  it('offers the functions in every turn of the model', async () => {
    const { connector } = await execute({ script: sayInTurn({ calls: [['echo', {}]] }, 'Done.') });
    expect(connector.calls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['echo'], ['echo']]);
  });

  it('generates the final answer once', async () => {
    const { connector, events } = await execute({ script: sayInTurn({ calls: [['echo', {}]] }, 'Done.', 'Again.') });
    expect(connector.calls).toHaveLength(2);
    expect(events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : []))).toEqual(['Done.']);
    expect(events.filter(({ type }) => type === 'run.finished')).toHaveLength(1);
  });

  it('runs calls side by side, and gives their results in call order whatever order they end in', async () => {
    const waiting: (() => void)[] = [];
    const tool = makeFunction('slow', {
      async run({ arguments: given }) {
        const turn = new Promise<void>((resolve) => waiting.push(resolve));
        // The last one to come lets all go, itself first: were they not side by side, none would ever go.
        if (waiting.length === 3) for (const go of waiting.toReversed()) queueMicrotask(go);
        await turn;
        return { content: `n ${String(given['n'])}` };
      },
    });
    const { connector, completed } = await execute({
      tools: [tool],
      script: sayInTurn({ calls: [1, 2, 3].map((n) => ['slow', { n }] as const) }, 'Done.'),
    });
    expect(completed.slice(2, -1)).toEqual(['call:c3', 'call:c2', 'call:c1']);
    expect(toldTo(connector.calls)).toEqual(['n 1', 'n 2', 'n 3']);
  });

  it('lets the model mend its arguments', async () => {
    const input = z.object({ city: z.string() });
    const { connector, events } = await execute({
      tools: [makeFunction('weather', { input })],
      script: sayInTurn(
        { calls: [['weather', { town: 'Bilbao' }]] },
        { calls: [['weather', { city: 'Bilbao' }]] },
        'Rain.',
      ),
    });
    expect(toldTo(connector.calls)).toEqual([
      expect.stringMatching(/^The arguments are not valid. city: /),
      'weather {"city":"Bilbao"}',
    ]);
    expect(outcomes(events)).toEqual(['failed', 'done']);
  });

  it('lets the model go on after a function that is not there', async () => {
    const { connector, events } = await execute({ script: sayInTurn({ calls: [['ecko', {}]] }, 'Never mind.') });
    expect(toldTo(connector.calls)).toEqual(['There is no function “ecko”. Known: echo.']);
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', finish_reason: 'stop' });
  });

  it('keeps calls apart whose ids the model repeats, in one turn of its own and over several', async () => {
    const keys: string[] = [];
    const { completed } = await execute({
      tools: [
        makeFunction('echo', {
          run: ({ idempotencyKey }) => {
            keys.push(idempotencyKey);
            return { content: '' };
          },
        }),
      ],
      script: sayInTurn(
        {
          calls: [
            ['echo', { n: 1 }, 'call_1'],
            ['echo', { n: 2 }, 'call_1'],
          ],
        },
        { calls: [['echo', { n: 3 }, 'call_1']] },
        { calls: [['echo', { n: 4 }, 'call_1']] },
        'Done.',
      ),
    });
    expect(new Set(keys).size).toBe(4);
    expect(new Set(completed).size).toBe(completed.length);
  });
});

describe('what stops a turn', () => {
  it('refuses the same call the third time, and the model answers', async () => {
    const { events, connector } = await execute({
      script: sayInTurn(
        { calls: [['echo', { a: 1 }]] },
        { calls: [['echo', { a: 1 }]] },
        { calls: [['echo', { a: 1 }]] },
        'Well.',
      ),
    });
    expect(outcomes(events)).toEqual(['done', 'done', 'refused']);
    expect(toldTo(connector.calls).at(-1)).toMatch(/already made twice/);
    expect(events.at(-1)).toMatchObject({ type: 'run.finished' });
  });

  it('refuses more calls than the assistant allows, counted in call order', async () => {
    const calls = ['a', 'b', 'c', 'd'].map((x) => ['echo', { x }] as const);
    const { events, connector } = await execute({ script: sayInTurn({ calls }, 'Well.'), limits: { max_calls: 2 } });
    expect(toldTo(connector.calls)).toEqual([
      'echo {"x":"a"}',
      'echo {"x":"b"}',
      expect.stringMatching(/No more than 2 calls/),
      expect.stringMatching(/No more than 2 calls/),
    ]);
    expect(outcomes(events).toSorted()).toEqual(['done', 'done', 'refused', 'refused']);
  });

  it.each([1, 3, undefined])(
    'gives %s turns with functions, then one without: there is always an answer',
    async (limit) => {
      let turn = 0;
      const script: ConnectorScript = (call) => {
        turn += 1;
        return sayInTurn({ text: `t${String(turn)} `, calls: [['echo', { turn }, `c${String(turn)}`]] })(call);
      };
      const { connector, events } = await execute({
        script,
        ...(limit === undefined ? {} : { limits: { max_iterations: limit } }),
      });
      const allowed = limit ?? 5;
      expect(connector.calls.map(({ tools }) => tools !== undefined)).toEqual([
        ...Array<boolean>(allowed).fill(true),
        false,
      ]);
      expect(outcomes(events)).toHaveLength(allowed);
      expect(events.at(-3)).toMatchObject({ type: 'text.delta', text: `t${String(allowed + 1)} ` });
      expect(events.at(-1), 'it must not look as if calls were still to come').toMatchObject({
        type: 'run.finished',
        finish_reason: 'stop',
      });
    },
  );

  it('is a failing provider, in mid-conversation too', async () => {
    const { events, errors } = await execute({
      script: (call) => {
        if (call.messages.length > 1) throw new Error('canary');
        return sayInTurn({ calls: [['echo', {}]] })(call);
      },
    });
    expect(events.at(-1)).toMatchObject({ step: 'end', type: 'run.failed', code: 'internal_error' });
    expect(JSON.stringify(events)).not.toContain('canary');
    expect(errors).toHaveLength(1);
  });

  it('waits for the calls under way when one breaks the turn, so that nothing happens after its end', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const slow = makeFunction('slow', {
      run: async () => {
        await promise;
        return { content: '' };
      },
    });
    const { events } = await execute({
      tools: [slow, makeFunction('broken')],
      script: sayInTurn(
        {
          calls: [
            ['slow', {}],
            ['broken', {}],
          ],
        },
        'Done.',
      ),
      ports: {
        authorizeCall: ({ type }) => {
          if (type === 'slow') return Promise.resolve(undefined);
          setImmediate(() => resolve(undefined));
          return Promise.reject(new Error('the database is gone'));
        },
      },
    });
    expect(events.map(({ type }) => type).slice(-3)).toEqual(['call.finished', 'status', 'run.failed']);
  });
});

describe('a turn in this process', () => {
  async function read(events: AsyncIterable<RunEvent>, on: (event: RunEvent) => void = () => undefined) {
    const all: RunEvent[] = [];
    for await (const event of events) {
      all.push(event);
      on(event);
    }
    return all;
  }
  const hanging = (signals: AbortSignal[]) =>
    makeFunction('hang', {
      run: ({ signal }) => {
        signals.push(signal);
        return new Promise<never>(() => undefined);
      },
    });

  it('ends at its deadline while a call runs, and aborts the call', async () => {
    const signals: AbortSignal[] = [];
    const { plan, ports } = prepare({ tools: [hanging(signals)], script: sayInTurn({ calls: [['hang', {}]] }) });
    const events = await read(runTurn({ ...plan, deadlineMs: 20 }, request, ports));
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', code: 'deadline_exceeded' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('is cancelled when the client goes while a call runs, and aborts the call', async () => {
    const signals: AbortSignal[] = [];
    const client = new AbortController();
    const { plan, ports } = prepare({
      tools: [hanging(signals)],
      script: sayInTurn({ calls: [['hang', {}]] }),
      ports: { signal: client.signal },
    });
    const events = await read(runTurn(plan, request, ports), (event) => {
      if (event.type === 'status') client.abort();
    });
    expect(events.at(-1)).toMatchObject({ type: 'run.cancelled' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('aborts a call when the reader stops reading', async () => {
    const signals: AbortSignal[] = [];
    const { plan, ports } = prepare({ tools: [hanging(signals)], script: sayInTurn({ calls: [['hang', {}]] }) });
    for await (const event of runTurn(plan, request, ports)) if (event.type === 'status') break;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('numbers the events of calls side by side without a gap', async () => {
    const calls = Array.from({ length: 10 }, (_, n) => ['echo', { n }] as const);
    const { plan, ports } = prepare({ script: sayInTurn({ calls }, 'Done.') });
    const events = await read(runTurn(plan, request, ports));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  });
});

describe('a turn that is run again from its journal', () => {
  /** A turn with everything: calls side by side, an approval, a failure, a repeated id, an effect that happens once. */
  function makeStory() {
    const effects: string[] = [];
    const ran: string[] = [];
    const note = (name: string, effect: 'none' | 'idempotent' | 'once') =>
      makeFunction(name, {
        effect,
        run: ({ idempotencyKey, arguments: given }) => {
          ran.push(idempotencyKey);
          if (effect === 'once') effects.push(idempotencyKey);
          return { content: `${name} did ${JSON.stringify(given)}` };
        },
      });
    const tools = [note('read', 'none'), note('save', 'idempotent'), note('pay', 'once'), note('mail', 'once')];
    const answers = [
      {
        text: 'First. ',
        calls: [
          ['read', { n: 1 }, 'x'],
          ['save', { n: 2 }, 'x'],
          ['pay', { n: 3 }, 'p'],
        ] as const,
      },
      {
        calls: [
          ['mail', { n: 4 }, 'x'],
          ['gone', {}, 'y'],
          ['read', '{broken', 'z'],
        ] as const,
      },
      'All done.',
    ];
    // Answers by how far the conversation is, as a model does: a restarted one knows nothing of before.
    const script: ConnectorScript = (call) => {
      const turn = call.messages.filter(({ role }) => role === 'assistant').length;
      return sayInTurn(answers[turn] ?? 'Too far.')(call);
    };
    const decisions: string[] = [];
    const setup: Setup = {
      tools,
      entries: [{ type: 'read' }, { type: 'save' }, { type: 'pay', approval: false }, { type: 'mail' }],
      script,
      ports: {
        approve: (id) => {
          decisions.push(id);
          return Promise.resolve('approved');
        },
      },
    };
    return { setup, effects, ran };
  }

  async function play(journal?: Journal, stop: { killAfter?: number; killAtBegin?: string } = {}) {
    const { setup, effects, ran } = makeStory();
    const { plan, ports, connector } = prepare(setup);
    const runner = createStepRunner({ ...(journal ? { journal } : {}), ...stop });
    const killed = await executeTurn(plan, request, { ...ports, step: runner.step }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Killed) return true;
        throw error;
      },
    );
    return { ...runner, steps: runner.ran, killed, effects, called: ran, connector };
  }

  const conversation = (calls: readonly ModelCall[]): readonly ChatMessage[] => calls.at(-1)?.messages ?? [];

  it('calls no tool and no model when everything is there, and says nothing twice', async () => {
    const first = await play();
    expect(first.completed).toEqual([
      'context',
      'model:1',
      'call:x',
      'call:call_1_2',
      'call:p',
      'model:2',
      'ask:call_2_1',
      'call:y',
      'call:z',
      'call:call_2_1',
      'model:3',
    ]);
    expect(first.effects).toEqual(['run-1:p', 'run-1:call_2_1']);
    const second = await play(first.journal);
    expect(second).toMatchObject({ steps: [], called: [], effects: [], events: [], killed: false });
    expect(second.connector.calls).toEqual([]);
  });

  it('goes on after a cut behind any step: what is done is not done again, and the model is told the same', async () => {
    const whole = await play();
    for (let cut = 1; cut < whole.completed.length; cut += 1) {
      const before = await play(undefined, { killAfter: cut });
      expect(before.killed).toBe(true);
      const after = await play(before.journal);
      expect(after.killed).toBe(false);
      expect(after.steps.filter((name) => before.completed.includes(name))).toEqual([]);
      expect(new Set([...before.completed, ...after.steps])).toEqual(new Set(whole.completed));
      const effects = [...before.effects, ...after.effects];
      expect(new Set(effects).size, 'no effect twice').toBe(effects.length);
      // A call side by side with the last step may have been cut off in its effect.
      const lost = [...before.journal.begun].filter((name) => !before.journal.results.has(name));
      const expected = conversation(whole.connector.calls).map((message) =>
        lost.includes(`call:${message.tool_call_id ?? ''}`)
          ? { ...message, content: expect.stringContaining('not known whether it took effect') as string }
          : message,
      );
      expect(conversation(after.connector.calls)).toEqual(expected);
      expect(after.events.at(-1)).toMatchObject({ type: 'run.finished' });
    }
  });

  it.each(['call:p', 'call:call_2_1'])('does not repeat the effect of %s that was cut off', async (name) => {
    const before = await play(undefined, { killAtBegin: name });
    expect(before.killed).toBe(true);
    const after = await play(before.journal);
    expect([...before.effects, ...after.effects]).not.toContain(`run-1:${name.slice('call:'.length)}`);
    expect(after.events).toContainEqual(
      expect.objectContaining({ step: name, type: 'call.finished', outcome: 'unknown' }),
    );
    expect(after.events.at(-1)).toMatchObject({ type: 'run.finished' });
  });
});
