import type { RunAnswer, RunResource } from '@lamb/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';

let lamb: TestServer;
let model: string;

beforeAll(async () => {
  lamb = await startTestServer();
  ({ model } = await createAssistant(lamb, lamb.north.teacher, {
    name: 'Editor',
    tools: [{ type: 'patch_file', mode: 'function' }],
  }));
});
afterAll(() => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
});
afterEach(() => {
  vi.useRealTimers();
});

const change = { line_start: 1, line_end: 1, old_content: 'a', new_content: 'b' };

function scriptApproval(): void {
  lamb.llm.script(
    { toolCalls: [{ name: 'patch_file', arguments: { file_path: 'a.txt', changes: [change] } }] },
    { text: 'There is no such file.', when: { contains: '"role":"tool"' } },
  );
}

const ask = (more: Record<string, unknown>) => {
  const leaving = new AbortController();
  const response = fetch(`${lamb.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${lamb.north.teacher.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Edit it.' }], ...more }),
    signal: leaving.signal,
  });
  return { response, leave: () => leaving.abort() };
};

async function approve(runId: string): Promise<void> {
  const { body } = await lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/runs/${runId}/answer`);
  const waiting = (body as RunAnswer).calls.find(({ state }) => state === 'waiting');
  const path = `/lamb/v1/runs/${runId}/calls/${waiting?.call_id ?? ''}/decision`;
  expect(await lamb.call(lamb.north.teacher, 'POST', path, { decision: 'approved' })).toMatchObject({ status: 202 });
}

test('who waits for one reply gets the run as soon as it waits for a person, and finds the answer there', async () => {
  scriptApproval();
  const response = await ask({}).response;
  expect(response.status).toBe(202);
  const run = (await response.json()) as RunResource;
  expect(run).toMatchObject({ status: 'waiting', events_url: `/lamb/v1/runs/${run.id}/events` });
  await approve(run.id);
  await expect
    .poll(async () => (await lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/runs/${run.id}/answer`)).body as unknown)
    .toMatchObject({ status: 'finished', text: 'There is no such file.' });
});

test('a stream is open while a person is waited for, even when it tells no status, and goes on with the answer', async () => {
  scriptApproval();
  const response = await ask({ stream: true, lamb: { status: 'none' } }).response;
  expect(response.status).toBe(200);
  let raw = '';
  let isApproved = false;
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    raw += piece;
    const [, runId] = /"id":"chatcmpl-([^"]+)"/.exec(raw) ?? [];
    if (runId === undefined || isApproved) continue;
    isApproved = true;
    await approve(runId);
  }
  const said = [...raw.matchAll(/"delta":\{"content":("[^"]*")/g)].map(
    ([, piece = '""']) => JSON.parse(piece) as string,
  );
  expect(said.join('')).toBe('There is no such file.');
  expect(raw.endsWith('data: [DONE]\n\n')).toBe(true);
});

test('a stream that has nothing to say for long is opened and kept open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  lamb.llm.script({ tokens: 3, faults: { hangAfterChunks: 0 } });
  const { model: silent } = await createAssistant(lamb, lamb.north.teacher, { name: 'Silent' });
  const { response, leave } = ask({ model: silent, stream: true });
  await expect.poll(() => lamb.llm.requests.length).toBe(1);
  vi.advanceTimersByTime(20_000);
  const { status, body } = await response;
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  expect({ status, first: (await reader?.read())?.value }).toEqual({ status: 200, first: ':\n\n' });
  leave();
  await reader?.closed.catch(() => undefined);
});
