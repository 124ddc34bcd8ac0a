import type { RunEvent } from '@lamb/contract';
import { expect, test } from 'vitest';
import { skipRepeatedText } from './skip-repeated-text.ts';

type Told = readonly [type: 'text' | 'reasoning' | 'restarted' | 'finished' | 'cancelled', step: string, text?: string];

function toEvent([type, step, text = '']: Told, index: number): RunEvent {
  const base = { run_id: 'r1', seq: index + 1, time: 0, step, attempt: 1 };
  switch (type) {
    case 'text':
      return { ...base, type: 'text.delta', text };
    case 'reasoning':
      return { ...base, type: 'reasoning.delta', text };
    case 'restarted':
      return { ...base, type: 'step.restarted' };
    case 'finished':
      return { ...base, type: 'run.finished', finish_reason: 'stop' };
    case 'cancelled':
      return { ...base, type: 'run.cancelled' };
  }
}

async function* replay(told: readonly Told[]): AsyncGenerator<RunEvent> {
  for (const [index, each] of told.entries()) yield await Promise.resolve(toEvent(each, index));
}

async function hear(told: readonly Told[]) {
  const events: RunEvent[] = [];
  for await (const event of skipRepeatedText(replay(told))) events.push(event);
  const textOf = (type: 'text.delta' | 'reasoning.delta') =>
    events.flatMap((event) => (event.type === type ? [event.text] : [])).join('');
  return { text: textOf('text.delta'), reasoning: textOf('reasoning.delta'), end: events.at(-1) };
}

test.each<[what: string, told: Told[], text: string]>([
  [
    'is told on when it is not begun again',
    [
      ['text', 'model:1', 'ab'],
      ['text', 'model:1', 'ab'],
      ['text', 'model:2', 'ab'],
      ['finished', 'model:2'],
    ],
    'ababab',
  ],
  [
    'is not said twice, in whatever pieces it comes again',
    [
      ['text', 'model:1', 'ab'],
      ['text', 'model:1', 'cd'],
      ['restarted', 'model:1'],
      ['text', 'model:1', 'a'],
      ['text', 'model:1', 'bcde'],
      ['text', 'model:1', 'f'],
      ['finished', 'model:1'],
    ],
    'abcdef',
  ],
  [
    'is not said twice when it is begun again twice',
    [
      ['text', 'model:1', 'abc'],
      ['restarted', 'model:1'],
      ['text', 'model:1', 'ab'],
      ['restarted', 'model:1'],
      ['text', 'model:1', 'abcd'],
      ['finished', 'model:1'],
    ],
    'abcd',
  ],
  [
    'is said in full by a later step, and by one that had said nothing',
    [
      ['text', 'model:1', 'abc'],
      ['restarted', 'call:c1'],
      ['restarted', 'model:2'],
      ['text', 'model:2', 'abc'],
      ['finished', 'model:2'],
    ],
    'abcabc',
  ],
])('what a step says %s', async (_what, told, text) => {
  expect(await hear(told)).toMatchObject({ text, end: { type: 'run.finished' } });
});

test.each<[what: string, told: Told[]]>([
  ['something else', [['text', 'model:1', 'aX']]],
  [
    'something else, after a while',
    [
      ['text', 'model:1', 'a'],
      ['text', 'model:1', 'X'],
    ],
  ],
  [
    'less',
    [
      ['text', 'model:1', 'ab'],
      ['finished', 'model:1'],
    ],
  ],
  ['nothing', [['finished', 'model:1']]],
  [
    'less, before another step',
    [
      ['text', 'model:1', 'ab'],
      ['text', 'model:2', 'c'],
    ],
  ],
])('a step that now says %s ends the telling, with the way to the answer', async (_what, told) => {
  const heard = await hear([['text', 'model:1', 'abc'], ['restarted', 'model:1'], ...told]);
  expect(heard).toMatchObject({
    text: 'abc',
    end: {
      type: 'run.failed',
      code: 'answer_restarted',
      details: { run_id: 'r1', answer_url: '/lamb/v1/runs/r1/answer' },
    },
  });
});

test('a run that is cancelled while it repeats itself is cancelled', async () => {
  const heard = await hear([
    ['text', 'model:1', 'abc'],
    ['restarted', 'model:1'],
    ['text', 'model:1', 'a'],
    ['cancelled', 'end'],
  ]);
  expect(heard).toMatchObject({ text: 'abc', end: { type: 'run.cancelled' } });
});

test('thoughts are not told twice either, and other thoughts are left out', async () => {
  const heard = await hear([
    ['reasoning', 'model:1', 'hmm'],
    ['text', 'model:1', 'a'],
    ['restarted', 'model:1'],
    ['reasoning', 'model:1', 'hmm, '],
    ['reasoning', 'model:1', 'yes'],
    ['restarted', 'model:1'],
    ['reasoning', 'model:1', 'oh'],
    ['reasoning', 'model:1', 'hmm, yes'],
    ['text', 'model:1', 'ab'],
    ['finished', 'model:1'],
  ]);
  expect(heard).toMatchObject({ text: 'ab', reasoning: 'hmm, yes', end: { type: 'run.finished' } });
});
