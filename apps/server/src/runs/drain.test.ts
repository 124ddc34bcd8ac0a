import type { RunEvent } from '@lamb/contract';
import { numberTokens } from '@lamb/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { openHouse, type House } from './__fixtures__/open-house.ts';
import { readRunStream } from './__fixtures__/read-run-stream.ts';

let house: House;
let staying: ServerProcess;

beforeAll(async () => {
  house = await openHouse();
  staying = await house.startServer();
}, 60_000);
afterAll(() => house.close());

const textOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('');

function ask(server: ServerProcess): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: house.model, messages: [{ role: 'user', content: 'Go on.' }], stream: true }),
  });
}

function readContent(body: string): string {
  const chunks = body.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  return chunks
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as { choices: { delta: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');
}

test('a server that is told to stop under load finishes its answers and its runs, and nobody gets a 5xx', async () => {
  const leaving = await house.startServer();
  house.llm.reset();
  house.llm.script({ tokens: 60, intervalMs: 20, times: 'always' });
  const answers = Array.from({ length: 10 }, async () => {
    const response = await ask(leaving);
    return { status: response.status, body: await response.text() };
  });
  const background = await Promise.all(Array.from({ length: 5 }, () => house.startRun(leaving, 'Go on.')));
  // Comes again on the connections that it has, as clients do.
  const statuses: number[] = [];
  let isStopped = false;
  const polling = Array.from({ length: 5 }, async () => {
    while (!isStopped) {
      try {
        const { status } = await house.call(leaving, 'GET', '/lamb/v1/chats');
        statuses.push(status);
      } catch {
        // Refused: it listens no more.
      }
    }
  });
  await expect.poll(() => house.llm.requests.length, { timeout: 10_000 }).toBe(15);

  const started = performance.now();
  await leaving.stop('SIGTERM');
  isStopped = true;
  const took = performance.now() - started;
  await Promise.all(polling);

  for (const { status, body } of await Promise.all(answers)) {
    expect(status).toBe(200);
    expect(readContent(body)).toBe(numberTokens(60));
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
  }
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(took).toBeLessThan(30_000);
  for (const runId of background) {
    const { body } = await house.call(staying, 'GET', `/lamb/v1/runs/${runId}`);
    expect(body).toMatchObject({ status: 'finished' });
  }
  // Nothing was said twice: nobody else had begun it too.
  expect(house.llm.requests).toHaveLength(15);
}, 60_000);

test('who follows a run that waits for somebody does not keep the server from stopping, and goes on elsewhere at once', async () => {
  const leaving = await house.startServer();
  house.llm.reset();
  const patch = { name: 'patch_file', arguments: { file_path: 'a.txt', changes: [] } };
  const change = { line_start: 1, line_end: 1, old_content: 'a', new_content: 'b' };
  house.llm.script(
    { toolCalls: [{ ...patch, arguments: { file_path: 'a.txt', changes: [change] } }] },
    { text: 'There is no such file.', when: { contains: '"role":"tool"' } },
  );
  const runId = await house.startRun(leaving, 'Edit it.');
  const events: RunEvent[] = [];
  const stopped: Promise<void>[] = [];
  for await (const { event } of readRunStream({ ...leaving, key: house.key, runId })) {
    events.push(event);
    if (event.type === 'call.approval_required') stopped.push(leaving.stop('SIGTERM'));
  }
  expect(events.at(-1)?.type).toBe('call.approval_required');
  const started = performance.now();
  await Promise.all(stopped);
  expect(performance.now() - started).toBeLessThan(5000);

  const required = events.at(-1);
  const callId = required?.type === 'call.approval_required' ? required.call_id : '';
  await house.call(staying, 'POST', `/lamb/v1/runs/${runId}/calls/${callId}/decision`, { decision: 'approved' });
  const lastEventId = events.at(-1)?.seq ?? 0;
  for await (const { event } of readRunStream({ ...staying, key: house.key, runId, lastEventId })) events.push(event);
  expect(events.at(-1)?.type).toBe('run.finished');
  expect(textOf(events)).toBe('There is no such file.');
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
}, 60_000);
