import { numberTokens } from '@lamb/testing';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { streamCompletion } from '../completions/__fixtures__/stream-completion.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(async () => lamb.stop());

test('stopping waits for answers, but not for connections on which nobody asks', async () => {
  const { model } = await createAssistant(lamb, lamb.north.teacher, { name: 'Slow' });
  lamb.llm.script({ tokens: 40, intervalMs: 10 });
  const arrived = once(lamb.app.server, 'connection');
  const spare = connect(Number(new URL(lamb.url).port), '127.0.0.1');
  const spareClosed = once(spare, 'close');
  await arrived;

  const answer = streamCompletion(lamb, lamb.north.teacher, { model, messages: [{ role: 'user', content: 'Go' }] });
  await vi.waitFor(() => expect(lamb.llm.requests[0]?.chunksSent).toBeGreaterThan(3));
  const stopped = lamb.app.close();
  await spareClosed;
  const { text, done } = await answer;
  await stopped;
  expect({ text, done }).toEqual({ text: numberTokens(40), done: true });
});
