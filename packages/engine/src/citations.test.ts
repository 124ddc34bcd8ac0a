import { messageText, type AttributedSource } from '@lamb/contract';
import type { ToolResult } from '@lamb/plugin-kit';
import { describe, expect, it } from 'vitest';
import { makeAssistant } from './__fixtures__/make-assistant.ts';
import { makeCatalogue } from './__fixtures__/make-catalogue.ts';
import { makeConnector } from './__fixtures__/make-connector.ts';
import { makeFunction } from './__fixtures__/make-function.ts';
import { makePorts } from './__fixtures__/make-ports.ts';
import { makeTool } from './__fixtures__/make-tool.ts';
import { createStepRunner, Killed, type Journal } from './__fixtures__/run-steps.ts';
import { sayInTurn } from './__fixtures__/say-in-turn.ts';
import { compilePlan } from './compile-plan.ts';
import { executeTurn } from './execute-turn.ts';

const citable = (...texts: string[]): ToolResult => ({
  content: '',
  passages: texts.map((text) => ({ text, source: { title: `${text}.pdf` } })),
});

/** Finds what it is called with; the first one asked for is ready last. */
function makeFinder() {
  const waiting: (() => void)[] = [];
  return makeFunction('find', {
    run: async ({ arguments: { what } }) => {
      if (what === 'slow') await new Promise<void>((resolve) => waiting.push(resolve));
      for (const go of waiting.splice(0)) go();
      return what === 'plain'
        ? { content: 'plain [1]', sources: [{ title: 'plain.pdf' }] }
        : citable(`${String(what)} passage`);
    },
  });
}

interface Play {
  readonly answer?: string;
  readonly journal?: Journal;
  readonly killAfter?: number;
}

/** Two tools that gather passages, the first ready last; then three calls at once, the first ready last; then one more. */
async function play({ answer = 'Done.', journal, killAfter }: Play = {}) {
  let release: (value: ToolResult) => void = () => undefined;
  const slow = new Promise<ToolResult>((resolve) => (release = resolve));
  const searched: string[] = [];
  const tools = [
    makeTool('first', { run: () => slow }),
    makeTool('second', { run: () => (release(citable('one', 'two')), citable('three')) }),
    makeTool('reader', { run: ({ config }) => (searched.push(String(config.query)), { content: 'R' }) }),
    makeFinder(),
  ];
  const assistant = makeAssistant({
    template: '{first}|{second}|{reader}|{user_input}',
    tools: [
      { type: 'first' },
      { type: 'second' },
      { type: 'reader', config: { query: 'in: {first}' } },
      { type: 'find', mode: 'function' },
    ],
  });
  const find = (what: string, id: string) => ['find', { what }, id] as const;
  const answers = [
    { text: 'As [1] says. ', calls: [find('slow', 'a'), find('plain', 'b'), find('quick', 'c')] },
    { calls: [find('more', 'd')] },
    answer,
  ];
  // Answers by how far the conversation is, as a model does: a restarted one knows nothing of before.
  const connector = makeConnector((call) => {
    const turn = call.messages.filter(({ role }) => role === 'assistant').length;
    return sayInTurn(answers[turn] ?? 'Too far.')(call);
  });
  const ports = makePorts({ model: { connector, model: 'model-1', settings: {} } });
  const runner = createStepRunner({ ...(journal && { journal }), ...(killAfter !== undefined && { killAfter }) });
  const { plan } = compilePlan(assistant, makeCatalogue(tools));
  const request = { messages: [{ role: 'user' as const, content: 'Why?' }], sampling: {} };
  try {
    await executeTurn(plan, request, { ...ports, step: runner.step });
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  return { ...runner, searched, asked: connector.calls.map(({ messages }) => messages.map(messageText)) };
}

const numbersOf = (events: readonly { type: string; source?: AttributedSource }[]) =>
  events.flatMap(({ source }) => (source ? [`${String(source.number)} ${source.title} {${source.placeholder}}`] : []));

const numbered = [
  '1 one.pdf {first}',
  '2 two.pdf {first}',
  '3 three.pdf {second}',
  '4 slow passage.pdf {find}',
  '5 quick passage.pdf {find}',
  '6 more passage.pdf {find}',
];

describe('numbers of passages', () => {
  it('go on over all tools of a turn, in the order of the plan and of the calls, whichever was ready first', async () => {
    const { events, asked, searched } = await play();
    expect(numbersOf(events).filter((line) => !line.startsWith('undefined'))).toEqual(numbered);
    expect(numbersOf(events)).toContain('undefined plain.pdf {find}');
    const prompt = asked[0]?.[0] ?? '';
    expect(prompt).toMatch(/\[1\] one\n\(one\.pdf\)\n\n\[2\] two\n\(two\.pdf\)\n\n\|[^|]*\[3\] three\n/);
    const told = asked.at(-1)?.slice(2) ?? [];
    expect(told[0]).toContain('[4] slow passage\n');
    expect(told[1], 'a text that nobody numbered is left alone').toBe('plain [1]');
    expect(told[2]).toContain('[5] quick passage\n');
    expect(told[4]).toContain('[6] more passage\n');
    expect(searched, 'other tools search with the passages alone').toEqual(['in: one\n\ntwo']);
  });

  it('are told before the model speaks of them', async () => {
    const { events } = await play();
    const types = events.filter(({ step }) => step === 'model:2').map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['source', 'source']);
  });

  it('are the same after a cut behind any step', async () => {
    const whole = await play();
    for (let killAfter = 1; killAfter < whole.completed.length; killAfter += 1) {
      const before = await play({ killAfter });
      const after = await play({ journal: before.journal });
      // What was told before the cut is in the log; a step that was cut off tells it again.
      const kept = before.events.filter(({ step }) => before.journal.results.has(step));
      const told = numbersOf([...kept, ...after.events]).filter((line) => !line.startsWith('undefined'));
      expect(told).toEqual(numbered);
      expect(after.asked.at(-1)).toEqual(whole.asked.at(-1));
    }
  });
});

describe('the check of an answer', () => {
  it('covers all that was said in the turn', async () => {
    const { events } = await play({ answer: 'So [6] and [9], but not `a[8]`.' });
    expect(events.at(-1)).toEqual({
      step: 'model:3',
      type: 'run.finished',
      finish_reason: 'stop',
      citations: { cited: [1, 6], unknown: [9] },
    });
  });

  const finish = async (result: ToolResult) => {
    const tool = makeTool('tool', { run: () => result });
    const assistant = makeAssistant({ template: '{tool}{user_input}', tools: [{ type: 'tool' }] });
    const { plan } = compilePlan(assistant, makeCatalogue([tool]));
    const connector = makeConnector(sayInTurn('As [1] says.'));
    const ports = makePorts({ model: { connector, model: 'model-1', settings: {} } });
    const runner = createStepRunner();
    const request = { messages: [{ role: 'user' as const, content: 'Why?' }], sampling: {} };
    await executeTurn(plan, request, { ...ports, step: runner.step });
    return runner.events.at(-1);
  };

  it('is made when a tool was to give passages and found none', async () => {
    expect(await finish({ content: '', passages: [] })).toMatchObject({ citations: { cited: [], unknown: [1] } });
    const failed: ToolResult = { content: '', passages: [], error: 'Down.' };
    expect(await finish(failed)).toMatchObject({ citations: { cited: [], unknown: [1] } });
  });

  it('is not made when nobody asked the model to cite', async () => {
    expect(await finish({ content: 'text', sources: [{ title: 'a.pdf' }] })).not.toHaveProperty('citations');
  });
});
