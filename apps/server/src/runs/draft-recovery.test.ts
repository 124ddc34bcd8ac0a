import type { RunXray } from '@lamb/contract';
import { numberTokens } from '@lamb/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHouse, type House } from './__fixtures__/open-house.ts';
import { readRunStream } from './__fixtures__/read-run-stream.ts';

let house: House;

beforeAll(async () => {
  house = await openHouse();
}, 60_000);
afterAll(() => house.close());

test('a draft that is nowhere saved is finished by another process, and can be looked into there', async () => {
  const one = await house.startServer();
  house.llm.script({ tokens: 5, faults: { hangAfterChunks: 3 } }, { tokens: 5 });
  const { status, body } = await house.call(one, 'POST', '/lamb/v1/assistants/drafts/turns', {
    prompt_template: 'Draft:{user_input}',
    metadata: { assistant_type: 'multi_tool', llm: 'gpt-4o-mini' },
    messages: [{ role: 'user', content: 'Count.' }],
  });
  expect(status).toBe(202);
  const { id: runId } = body as { id: string };
  for await (const { event } of readRunStream({ ...one, key: house.key, runId })) {
    if (event.type === 'text.delta') break;
  }
  await one.stop('SIGKILL');
  const two = await house.startServer();
  let text = '';
  for await (const { event } of readRunStream({ ...two, key: house.key, runId })) {
    if (event.type === 'step.restarted') text = '';
    if (event.type === 'text.delta') text += event.text;
    if (event.type === 'run.finished') break;
  }
  expect(text).toBe(numberTokens(5));
  const answer = await house.call(two, 'GET', `/lamb/v1/runs/${runId}/answer`);
  expect(answer.body).toMatchObject({ text: numberTokens(5), error: null });
  const trace = await house.call(two, 'GET', `/lamb/v1/runs/${runId}/trace`);
  expect(trace.status).toBe(200);
  const xray = trace.body as RunXray;
  expect(xray.turns).toMatchObject([{ answer: numberTokens(5), messages: 1 }]);
  expect(xray.messages[0]?.spans.map((span) => span.text).join('')).toBe('Draft:\n\nCount.\n\n');
}, 60_000);
