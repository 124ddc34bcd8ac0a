import type { RunEvent } from '@lamb/contract';
import { numberTokens } from '@lamb/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chunk } from '../completions/__fixtures__/stream-completion.ts';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { openHouse, type House } from './__fixtures__/open-house.ts';
import { readRunStream } from './__fixtures__/read-run-stream.ts';

let house: House;
let one: ServerProcess;
let two: ServerProcess;

beforeAll(async () => {
  house = await openHouse();
  [one, two] = await Promise.all([house.startServer(), house.startServer()]);
}, 60_000);
afterAll(() => house.close());

const textOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('');

async function readAll(server: ServerProcess, runId: string, lastEventId = 0): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const { event } of readRunStream({ ...server, key: house.key, runId, lastEventId })) events.push(event);
  return events;
}

test('a browser that is cut off five times and comes back to the other process reads exactly what the model said', async () => {
  house.llm.script({ tokens: 60, intervalMs: 20 });
  const runId = await house.startRun(one, 'Tell me everything.');
  const events: RunEvent[] = [];
  let cuts = 0;
  for (let visit = 0; events.at(-1)?.type !== 'run.finished'; visit += 1) {
    const server = visit % 2 === 0 ? two : one;
    const lastEventId = events.at(-1)?.seq ?? 0;
    let seen = 0;
    for await (const { id, event } of readRunStream({ ...server, key: house.key, runId, lastEventId })) {
      expect(id).toBe(event.seq);
      events.push(event);
      seen += 1;
      // On a busy machine several tokens make one event: few events a visit leave enough for five.
      if (cuts < 5 && seen === 3) {
        cuts += 1;
        break;
      }
    }
  }
  expect(cuts).toBe(5);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(textOf(events)).toBe(numberTokens(60));
  expect(house.llm.requests).toHaveLength(1);
});

test('a run is cancelled from the process that does not execute it', async () => {
  house.llm.script({ tokens: 5, faults: { hangAfterChunks: 3 } });
  const runId = await house.startRun(one, 'Take your time.');
  const events: RunEvent[] = [];
  for await (const { event } of readRunStream({ ...two, key: house.key, runId })) {
    events.push(event);
    if (event.type !== 'text.delta') continue;
    expect((await house.call(two, 'POST', `/lamb/v1/runs/${runId}/cancel`, {})).status).toBe(202);
  }
  expect(events.at(-1)?.type).toBe('run.cancelled');
  await expect.poll(() => house.llm.requests.at(-1)?.closedEarlyAt).toBeDefined();
  await expect
    .poll(async () => (await house.call(one, 'GET', `/lamb/v1/runs/${runId}`)).body)
    .toMatchObject({ status: 'cancelled' });
});

test('the run of a killed process is finished by the other one; who followed it is told what to forget', async () => {
  const doomed = await house.startServer();
  house.llm.script({ tokens: 50, intervalMs: 30 }, { tokens: 50 });
  const runId = await house.startRun(doomed, 'Go on whatever happens.');
  const events: RunEvent[] = [];
  for await (const { event } of readRunStream({ ...one, key: house.key, runId })) {
    events.push(event);
    if (textOf(events).includes('t10') && events.filter(({ type }) => type === 'step.restarted').length === 0) {
      process.kill(doomed.pid, 'SIGKILL');
    }
  }
  const restart = events.findIndex(({ type }) => type === 'step.restarted');
  expect(restart).toBeGreaterThan(0);
  expect(events[restart]).toMatchObject({ step: 'model:1', attempt: 2 });
  expect(textOf(events.slice(restart))).toBe(numberTokens(50));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(await readAll(two, runId)).toEqual(events);
}, 40_000);

test('who reads a run as an OpenAI stream, at a process that was thought dead, gets its text once', async () => {
  const frozen = await house.startServer();
  house.llm.reset();
  house.llm.script({ tokens: 50, faults: { hangAfterChunks: 10 } }, { tokens: 50 });
  const messages = [{ role: 'user', content: 'Go on.' }];
  const response = await fetch(`${frozen.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: house.model, messages, stream: true }),
  });
  let raw = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const isFirst = !raw.includes('t9');
    raw += piece;
    if (!isFirst || !raw.includes('t9')) continue;
    process.kill(frozen.pid, 'SIGSTOP');
    const runId = /"id":"chatcmpl-([^"]+)"/.exec(raw)?.[1] ?? '';
    const isFinished = async () => (await house.call(one, 'GET', `/lamb/v1/runs/${runId}`)).body;
    await expect.poll(isFinished, { timeout: 20_000 }).toMatchObject({ status: 'finished' });
    process.kill(frozen.pid, 'SIGCONT');
  }
  const frames = raw.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  const chunks = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as Chunk);
  expect(chunks.some(({ lamb }) => lamb?.type === 'step.restarted')).toBe(true);
  expect(chunks.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')).toBe(numberTokens(50));
  expect(raw.endsWith('data: [DONE]\n\n')).toBe(true);
}, 40_000);
