import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createOutboundDispatcher } from './create-outbound-dispatcher.ts';

const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.headers.host ?? '');
  response.end('reached');
});
let port = 0;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address === 'object' && address) port = address.port;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});
afterEach(async () => {
  requests.splice(0);
  for (const close of closing.splice(0)) await close();
});

/** Answers the n-th question with the n-th list of addresses, and from then on with the last. */
function answering(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, _, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    queueMicrotask(() => {
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    });
  };
  return { lookup, asked };
}

async function get(origin: string, { allow = [], lookup }: { allow?: string[]; lookup?: LookupFunction } = {}) {
  const dispatcher = createOutboundDispatcher({ allow, ...(lookup ? { lookup } : {}) });
  closing.push(() => dispatcher.destroy());
  const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' });
  return body.text();
}

const refusal = { name: 'OutboundRefusedError', reason: 'address' };

describe('a literal address', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '①②⑦.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
  ])('%s is refused', async (host) => {
    await expect(get(`http://${host}:${String(port)}`)).rejects.toMatchObject(refusal);
    expect(requests).toEqual([]);
  });

  test.each(['[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[fe80::1]', '[fc00::1]', '169.254.169.254', '10.0.0.1'])(
    '%s is refused, also over TLS',
    async (host) => {
      await expect(get(`http://${host}`)).rejects.toMatchObject(refusal);
      await expect(get(`https://${host}`)).rejects.toMatchObject(refusal);
    },
  );
});

describe('a name', () => {
  test.each([
    ['a private address', [['127.0.0.1']]],
    ['a private address among public ones', [['2606:4700::1111', '127.0.0.1']]],
    ['a private address in disguise', [['::ffff:127.0.0.1']]],
    ['nothing', [[]]],
  ])('that resolves to %s is refused', async (_, answers) => {
    const { lookup } = answering(...answers);
    await expect(get(`http://rebind.example:${String(port)}`, { lookup })).rejects.toMatchObject(refusal);
    await expect(get(`https://rebind.example:${String(port)}`, { lookup })).rejects.toMatchObject(refusal);
    expect(requests).toEqual([]);
  });

  test('of this machine is refused with the real resolver', async () => {
    await expect(get(`http://localhost:${String(port)}`)).rejects.toMatchObject(refusal);
  });

  test('the refusal does not say what the name resolved to', async () => {
    const { lookup } = answering(['10.11.12.13']);
    await expect(get('http://intranet.example', { lookup })).rejects.toThrow(
      /^(?!.*10\.11\.12\.13).*intranet\.example are refused/,
    );
  });

  test('a failing resolver is passed on', async () => {
    const lookup: LookupFunction = (_, __, callback) => {
      callback(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }), []);
    };
    await expect(get('http://nowhere.example', { lookup })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('that answers public first and private second: what was checked is what is connected to', async () => {
    // Inside 2000::/3 but given to nobody, so that nothing is disturbed wherever this test runs.
    const nobody = '2e00::1';
    const { lookup, asked } = answering([nobody], ['127.0.0.1']);
    const attempts = await recordAttempts(async () => {
      await expect(get(`http://rebind.example:${String(port)}`, { lookup })).rejects.toThrow();
    });
    expect(attempts).toEqual([nobody]);
    expect(asked).toEqual(['rebind.example']);
    expect(requests).toEqual([]);
  });
});

describe('what the operator allows by name and port', () => {
  test('is reached', async () => {
    const { lookup } = answering(['127.0.0.1']);
    const host = `ollama.internal:${String(port)}`;
    expect(await get(`http://${host}`, { allow: [host], lookup })).toBe('reached');
    expect(await get(`http://127.0.0.1:${String(port)}`, { allow: [`127.0.0.1:${String(port)}`] })).toBe('reached');
    expect(requests).toHaveLength(2);
    // Nobody listens there, but it was tried.
    await expect(get(`http://[::1]:${String(port)}`, { allow: [`[::1]:${String(port)}`] })).rejects.toMatchObject({
      syscall: 'connect',
    });
  });

  test('stays closed under another name, another port or another address', async () => {
    const { lookup } = answering(['127.0.0.1']);
    const allow = [`ollama.internal:${String(port)}`, '127.0.0.1:1'];
    for (const host of [
      `other.internal:${String(port)}`,
      'ollama.internal:1',
      'ollama.internal',
      `127.0.0.1:${String(port)}`,
    ]) {
      await expect(get(`http://${host}`, { allow, lookup })).rejects.toMatchObject(refusal);
    }
    expect(requests).toEqual([]);
  });
});

test('connections are kept alive', async () => {
  const host = `127.0.0.1:${String(port)}`;
  const dispatcher = createOutboundDispatcher({ allow: [host] });
  closing.push(() => dispatcher.destroy());
  const sockets: Socket[] = [];
  const onConnection = (socket: Socket) => {
    sockets.push(socket);
  };
  server.on('connection', onConnection);
  for (let round = 0; round < 10; round++) {
    const { body } = await dispatcher.request({ origin: `http://${host}`, path: '/', method: 'GET' });
    await body.text();
  }
  server.off('connection', onConnection);
  // The pool may open a second connection while the first one is being handed back.
  expect(sockets.length).toBeLessThanOrEqual(2);
});

/** The addresses that sockets of this process try while `work` runs; no attempt gets further than that. */
async function recordAttempts(work: () => Promise<void>): Promise<string[]> {
  const attempts: string[] = [];
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string) => {
      attempts.push(address);
      setImmediate(() => socket.destroy(new Error('stopped by the test')));
    });
  };
  subscribe('net.client.socket', watch);
  try {
    await work();
  } finally {
    unsubscribe('net.client.socket', watch);
  }
  return attempts;
}
