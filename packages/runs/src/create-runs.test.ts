import type { RunEvent } from '@lamb/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callProbe, openRuns, textOf, type OpenRuns } from './__fixtures__/open-runs.ts';

let open: OpenRuns;

beforeAll(async () => {
  open = await openRuns();
});
afterAll(() => open.close());

test('a run with a call tells everything once, and can be read again from any number on', async () => {
  open.script = [[{ type: 'text', text: 'Let me look. ' }, callProbe('a')], [{ type: 'text', text: 'Done.' }]];
  const run = await open.start();
  const events = await open.readAll(run);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(textOf(events)).toBe('Let me look. Done.');
  expect(events.map(({ type }) => type)).toContain('call.finished');
  expect(open.effects).toEqual([`${run.id}:call-a`]);
  expect(await open.readAll(run, 4)).toEqual(events.slice(4));
  await expect.poll(() => open.statusOf(run)).toBe('finished');
  expect(open.errors).toEqual([]);
});

test('a call that needs approval waits for it', async () => {
  open.script = [[callProbe('b')], [{ type: 'text', text: 'Approved.' }]];
  const run = await open.start({ approval: true });
  const reading = open.readAll(run);
  await expect.poll(() => open.statusOf(run)).toBe('waiting');
  expect(open.effects).not.toContain(`${run.id}:call-b`);
  await open.runs.decide(run, 'call-b', 'approved');
  expect(textOf(await reading)).toBe('Approved.');
  expect(open.effects).toContain(`${run.id}:call-b`);
});

test('a rejected call is told to the model, and the run goes on', async () => {
  open.script = [[callProbe('c')], [{ type: 'text', text: 'Then not.' }]];
  const run = await open.start({ approval: true });
  const reading = open.readAll(run);
  await expect.poll(() => open.statusOf(run)).toBe('waiting');
  await open.runs.decide(run, 'call-c', 'rejected');
  const events = await reading;
  expect(events.find(({ type }) => type === 'call.finished')).toMatchObject({ outcome: 'rejected' });
  expect(textOf(events)).toBe('Then not.');
  expect(open.effects).not.toContain(`${run.id}:call-c`);
});

test.each(['approved', 'rejected'] as const)(
  'of two decisions the first counts, whether it was heard or not: %s',
  async (first) => {
    const second = first === 'approved' ? 'rejected' : 'approved';
    open.script = [[callProbe('e')], [{ type: 'text', text: 'So be it.' }]];
    const run = await open.start({ approval: true });
    const decide = (callId: string, decision: 'approved' | 'rejected') => open.runs.decide(run, callId, decision);
    await expect.poll(() => open.statusOf(run)).toBe('waiting');
    expect(await decide('call-other', first)).toBeUndefined();
    expect(await Promise.all([decide('call-e', first), decide('call-e', first)])).toEqual([first, first]);
    expect(await decide('call-e', second)).toBe(first);
    const events = await open.readAll(run);
    expect(events.find(({ type }) => type === 'call.finished')).toMatchObject({
      outcome: first === 'approved' ? 'done' : 'rejected',
    });
    expect([await decide('call-e', first), await decide('call-e', second)]).toEqual([first, first]);
  },
);

test.each([['while the model speaks'], ['while it waits for approval']])('a run is cancelled %s', async (when) => {
  const waits = when.includes('approval');
  open.script = [
    waits
      ? [callProbe('d')]
      : async function* (signal) {
          yield [{ type: 'text', text: 'I am still' }];
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
  ];
  const run = await open.start({ approval: true });
  const events: RunEvent[] = [];
  for await (const event of open.runs.read(run, 0, new AbortController().signal)) {
    events.push(event);
    if (event.type === 'text.delta' || event.type === 'call.approval_required') await open.runs.cancel(run);
  }
  expect(events.at(-1)?.type).toBe('run.cancelled');
  await expect.poll(() => open.statusOf(run)).toBe('cancelled');
});
