import { ToolFailure } from '@lamb/plugin-kit';
import { startKbServer, type KbServer } from '@lamb/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { queryKbServer } from '../host/query-kb-server.ts';
import { createMetrics } from '../metrics.ts';
import { createOutboundDispatcher } from '../outbound/create-outbound-dispatcher.ts';
import { createOutboundFetch, type OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { createResilience } from './create-resilience.ts';
import { createResilientFetch } from './create-resilient-fetch.ts';

let kb: KbServer;
let dispatcher: ReturnType<typeof createOutboundDispatcher>;
let collection: string;
let fetch: OutboundFetch;
let time: number;
let waits: number[];

beforeAll(async () => {
  kb = await startKbServer();
  collection = String(kb.addCollection('algebra', [{ text: 'a vector has a length' }]));
  dispatcher = createOutboundDispatcher({ allow: [new URL(kb.url).host] });
});
afterAll(async () => {
  await dispatcher.destroy();
  await kb.stop();
});
beforeEach(() => {
  kb.reset();
  time = 0;
  waits = [];
  const sleep = (milliseconds: number) => Promise.resolve(waits.push(milliseconds));
  const resilience = createResilience({ metrics: createMetrics(), now: () => time, sleep });
  const target = { kind: 'kb', connector: '', organizationId: 'north' } as const;
  fetch = createResilientFetch(createOutboundFetch(dispatcher), resilience, target);
});

const query = (change: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  queryKbServer({
    baseUrl: kb.url,
    apiKey: kb.token,
    collection,
    query: 'vector',
    topK: 1,
    threshold: 0,
    fetch,
    signal: new AbortController().signal,
    ...change,
  });

async function failureOf(asking: Promise<unknown>): Promise<string> {
  const error: unknown = await asking.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ToolFailure);
  return (error as ToolFailure).message;
}

test('a server that fails twice and then answers has answered', async () => {
  kb.fail({ status: 503, times: 2 });
  expect(await query()).toHaveLength(1);
  expect(kb.requests).toHaveLength(3);
  expect(waits).toHaveLength(2);
});

test('a server that stays down is left alone, then tried again once', async () => {
  kb.fail({ status: 500, times: 'always' });
  for (let calls = 0; calls < 50; calls += 1) await failureOf(query());
  expect(kb.requests).toHaveLength(5);
  expect(await failureOf(query())).toBe(
    `Collection ${collection} could not be queried: the knowledge-base server is paused for 5 seconds after repeated failures.`,
  );
  kb.reset();
  time += 5_000;
  expect(await query()).toHaveLength(1);
  expect(kb.requests).toHaveLength(1);
});

test('a server that hangs is not asked twice for the same thing, and left alone after some', async () => {
  kb.fail({ hang: true, times: 'always' });
  for (let calls = 0; calls < 5; calls += 1) {
    expect(await failureOf(query({ timeoutMs: 20 }))).toMatch(/did not answer in time\.$/);
  }
  expect(kb.requests).toHaveLength(5);
  expect(await failureOf(query())).toMatch(/paused for 5 seconds/);
});

test('so it is when the tool ran out of time before the server did', async () => {
  kb.fail({ hang: true, times: 'always' });
  for (let calls = 0; calls < 5; calls += 1) {
    const deadline = new AbortController();
    const answer = query({ signal: deadline.signal });
    await expect.poll(() => kb.requests).toHaveLength(calls + 1);
    time += 5_000;
    deadline.abort(new Error('too late'));
    await expect(answer).rejects.toThrow('too late');
  }
  expect(await failureOf(query())).toMatch(/paused for 5 seconds/);
});

test.each<[string, Parameters<KbServer['fail']>[0]]>([
  ['has no such collection', { status: 404, times: 'always' }],
  ['refuses the key', { status: 403, times: 'always' }],
  ['talks nonsense', { garbage: true, times: 'always' }],
])('a server that %s is asked each time, once', async (_what, fault) => {
  kb.fail(fault);
  for (let calls = 0; calls < 20; calls += 1) await failureOf(query());
  expect(kb.requests).toHaveLength(20);
});
