import { AppError } from '@lamb/contract';
import type { ModelEvent } from '@lamb/plugin-kit';
import { startLlmServer, type LlmServer } from '@lamb/testing';
import { Agent } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { streamEvents, type Exchange } from './stream-events.ts';
import type { WireReader } from './wire-reader.ts';

let server: LlmServer;
let agent: Agent;
beforeAll(async () => {
  server = await startLlmServer();
  agent = new Agent();
});
afterAll(async () => {
  await agent.destroy();
  await server.stop();
});
beforeEach(() => server.reset());

/** Takes the first bytes as the whole answer. */
const contentReader = (): WireReader => ({
  read: (_bytes, events) => events.push({ type: 'finish', reason: 'stop' }),
  end: () => undefined,
});

function exchangeWith(changes: Partial<Exchange>): Exchange {
  return {
    dispatcher: agent,
    url: new URL('/v1/chat/completions', server.url),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true }),
    apiKey: undefined,
    signal: new AbortController().signal,
    reader: contentReader(),
    ...changes,
  };
}

async function collect(changes: Partial<Exchange>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const batch of streamEvents(() => exchangeWith(changes))) events.push(...batch);
  return events;
}

test('nothing is sent before the first batch is asked for', async () => {
  const batches = streamEvents(() => exchangeWith({}))[Symbol.asyncIterator]();
  expect(server.requests).toEqual([]);
  await batches.next();
  expect(server.requests).toHaveLength(1);
});

test('a provider that is done but keeps the connection open is left', async () => {
  server.script({ tokens: 5, faults: { hangAfterChunks: 1 } });
  expect(await collect({})).toEqual([{ type: 'finish', reason: 'stop' }]);
  await vi.waitFor(() => expect(server.requests[0]?.closedEarlyAt).toBeDefined(), { timeout: 5000 });
});

test('connections are used again', async () => {
  const connected = vi.fn();
  agent.on('connect', connected);
  for (let count = 0; count < 5; count++) {
    server.script({ tokens: 3 });
    await collect({});
  }
  agent.off('connect', connected);
  expect(connected.mock.calls.length).toBeLessThanOrEqual(1);
});

test('a reader that trips breaks the stream, and the connection is closed', async () => {
  server.script({ tokens: 5, faults: { hangAfterChunks: 1 } });
  const reader: WireReader = {
    read() {
      throw new TypeError('undefined is not a function');
    },
    end: () => undefined,
  };
  await expect(collect({ reader })).rejects.toMatchObject({ code: 'provider_stream_broken' });
  await vi.waitFor(() => expect(server.requests[0]?.closedEarlyAt).toBeDefined());
});

test('an error page without an end is not read to the end', async () => {
  server.script({ faults: { status: 500, error: { message: 'x'.repeat(1_000_000) } } });
  await expect(collect({})).rejects.toMatchObject({ code: 'provider_unavailable' });
});

test('a request that is aborted while it still waits for a connection is not sent', async () => {
  const narrow = new Agent({ connections: 1 });
  const aborting = new AbortController();
  const waiting = collect({ dispatcher: narrow, signal: aborting.signal });
  aborting.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await collect({ dispatcher: narrow, headers: { 'x-turn': 'second' } });
  await narrow.destroy();
  expect(server.requests.map(({ headers }) => headers['x-turn'])).toEqual(['second']);
});

test('what the dispatcher refuses with an error of ours is passed on', async () => {
  const refused = new AppError('provider_unavailable', { message: 'This address is not allowed.' });
  const guarded = new Agent().compose(() => (_options, _handler) => {
    throw refused;
  });
  await expect(collect({ dispatcher: guarded })).rejects.toBe(refused);
});

test('a key that cannot be a header makes the provider unreachable, and is not shown', async () => {
  const error: unknown = await collect({ headers: { authorization: 'Bearer a\r\nx: secret' } }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'provider_unavailable' });
  expect(String(error)).not.toContain('secret');
});

test('a signal is not held on to after the answer', async () => {
  const aborting = new AbortController();
  const removed = vi.spyOn(aborting.signal, 'removeEventListener');
  await collect({ signal: aborting.signal });
  expect(removed).toHaveBeenCalled();
});
