import type { RunEvent } from '@lamb/contract';
import { expect, test } from 'vitest';
import { applyEvents, emptyAnswer, fromRunAnswer, isOver } from './answer.ts';

let seq = 0;
const event = (body: object, step = 'model:1'): RunEvent =>
  ({ run_id: 'r', seq: (seq += 1), time: 0, step, attempt: 1, ...body }) as RunEvent;
const say = (text: string, step?: string) => event({ type: 'text.delta', text }, step);
const call = { call_id: 'a', name: 'patch', tool: 'patch_file' };
const play = (...events: RunEvent[]) => applyEvents(emptyAnswer, events);

test('text grows, and ends', () => {
  const answer = play(say('Hel'), say('lo'), event({ type: 'run.finished', finish_reason: 'stop' }));
  expect(answer).toMatchObject({ text: 'Hello', status: 'finished' });
  expect(isOver(answer)).toBe(true);
  expect(isOver(play(say('x')))).toBe(false);
});

test('a tool runs and is done, in its place', () => {
  const started = (placeholder: string) => event({ type: 'tool.started', tool: 'rag', placeholder }, 'context');
  const answer = play(
    started('context'),
    started('file'),
    event({ type: 'tool.finished', tool: 'rag', placeholder: 'context', ok: true, milliseconds: 4, chars: 1 }),
  );
  expect(answer.tools.map(({ placeholder, state }) => [placeholder, state])).toEqual([
    ['context', 'done'],
    ['file', 'running'],
  ]);
});

test('a step that is begun again says everything anew, and what others said stays', () => {
  const answer = play(
    say('First. ', 'model:1'),
    event({ type: 'call.requested', ...call }, 'model:1'),
    say('half of the sec', 'model:2'),
    event({ type: 'step.restarted' }, 'model:2'),
    say('second', 'model:2'),
  );
  expect(answer.text).toBe('First. second');
  expect(answer.calls).toHaveLength(1);
});

test('a call waits, is decided about, and the answer goes on', () => {
  const waiting = play(
    event({ type: 'call.requested', ...call }),
    event({ type: 'call.approval_required', ...call, arguments: '{"a":1}' }, 'ask:a'),
  );
  expect(waiting).toMatchObject({ status: 'waiting', calls: [{ state: 'waiting', arguments: '{"a":1}' }] });
  const artifacts = [{ kind: 'diff' as const, title: 'a.py', text: '+x' }];
  const done = applyEvents(waiting, [
    event({ type: 'call.finished', ...call, outcome: 'done', milliseconds: 3, chars: 1, artifacts }, 'call:a'),
  ]);
  expect(done).toMatchObject({ status: 'running', calls: [{ state: 'done', artifacts }] });
});

test('what another assistant does stands under the call that asked it', () => {
  const child = { parent_call_id: 'a' };
  const answer = play(
    event({ type: 'call.requested', ...call }),
    event({ type: 'tool.started', tool: 'rag', placeholder: 'context', ...child }, 'call:a'),
    event({ type: 'text.delta', text: 'inner', ...child }, 'call:a'),
    say('outer'),
  );
  expect(answer.text).toBe('outer');
  expect(answer.calls[0]?.child).toMatchObject({ text: 'inner', tools: [{ tool: 'rag' }] });
  const again = applyEvents(answer, [event({ type: 'step.restarted' }, 'call:a')]);
  expect(again.calls[0]?.child).toBeUndefined();
});

test('what the server tells in one piece is the same', () => {
  const answer = fromRunAnswer({
    run_id: 'r',
    status: 'failed',
    text: 'Half',
    sources: [],
    citations: null,
    tools: [{ tool: 'rag', placeholder: 'context', ok: false, milliseconds: 1 }],
    calls: [{ call_id: 'a', name: 'patch', tool: 'patch_file', state: 'waiting' }],
    error: { code: 'provider_unavailable', message: 'Gone.' },
    last_seq: 3,
  });
  expect(answer).toMatchObject({ text: 'Half', tools: [{ state: 'failed' }], calls: [{ id: 'a', state: 'waiting' }] });
});
