import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';

const HASH = 0x23;
const CHUNK = 16 * 1024;
const CHUNKS = 4096;
/** Far more than the sockets on the way hold: 64 MB. */
const TOTAL = CHUNK * CHUNKS;

let lamb: TestServer;
let provider: Server;
let model: string;
/** How much of its answer the provider got rid of, and when it last did. */
let taken: { bytes: number; at: number };

/** A provider that says as much as is taken from it, and no more. */
async function talk(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = async (data: string) => {
    if (!response.write(`data: ${data}\n\n`)) await new Promise((resolve) => response.once('drain', resolve));
  };
  for (let number = 0; number < CHUNKS; number += 1) {
    const content = '#'.repeat(CHUNK);
    await say(JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
    taken = { bytes: taken.bytes + CHUNK, at: performance.now() };
  }
  await say(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  await say('[DONE]');
  response.end();
}

beforeAll(async () => {
  provider = createServer((request, response) => void talk(request, response));
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = `127.0.0.1:${(provider.address() as AddressInfo).port}`;
  lamb = await startTestServer({ LAMB_OUTBOUND_ALLOW: address });
  const openai = { base_url: `http://${address}/v1`, api_key: 'sk', models: [], enabled: true };
  await lamb.call(lamb.north.admin, 'PUT', '/lamb/v1/organizations/current/config', {
    setups: { default: { is_default: true, providers: { openai } } },
  });
  ({ model } = await createAssistant(lamb, lamb.north.teacher, { name: 'Talkative' }));
});
afterAll(async () => {
  await lamb.stop();
  provider.close();
  provider.closeAllConnections();
});

/** Asks over a bare socket, which reads when it is told to. */
function askSlowly(): Socket {
  taken = { bytes: 0, at: performance.now() };
  const { port } = new URL(lamb.url);
  const socket = connect(Number(port), '127.0.0.1').pause();
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Talk.' }] });
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: lamb\r\nconnection: close\r\nauthorization: Bearer ${lamb.north.teacher.key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

const untilStalled = () =>
  vi.waitFor(
    () => {
      expect(taken.bytes).toBeGreaterThan(0);
      expect(performance.now() - taken.at).toBeGreaterThan(300);
    },
    { timeout: 10_000 },
  );

test('a stream has the headers of every reply, and those that keep proxies from holding it back', async () => {
  const socket = askSlowly();
  let head = '';
  while (!head.includes('\r\n\r\n')) {
    await once(socket, 'readable');
    head += String(socket.read() ?? '');
  }
  socket.destroy();
  expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  expect(head).toContain('\r\nx-content-type-options: nosniff\r\n');
  expect(head).toContain('\r\ncontent-type: text/event-stream; charset=utf-8\r\n');
  expect(head).toContain('\r\ncache-control: no-cache, no-transform\r\n');
  expect(head).toContain('\r\nx-accel-buffering: no\r\n');
});

test('a reader that stops holds the provider back; nothing piles up, and nothing is lost when it goes on', async () => {
  const socket = askSlowly();
  await untilStalled();
  // What is on the way is what the sockets hold, not what the provider has.
  expect(taken.bytes).toBeLessThan(TOTAL / 3);

  let received = 0;
  for await (const bytes of socket as AsyncIterable<Buffer>) {
    for (const byte of bytes) if (byte === HASH) received += 1;
  }
  expect(received).toBe(TOTAL);
});

test('a reader that stops and leaves ends the turn', async () => {
  const socket = askSlowly();
  await untilStalled();
  socket.destroy();
  await vi.waitFor(async () => {
    expect((await lamb.services.metrics.openTurns.get()).values[0]?.value).toBe(0);
    expect(await new Promise((resolve) => provider.getConnections((_error, count) => resolve(count)))).toBe(0);
  });
  expect(taken.bytes).toBeLessThan(TOTAL / 3);
});
