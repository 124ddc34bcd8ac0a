import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { LookupFunction } from 'node:net';
import { brotliCompressSync, gzipSync, deflateSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutboundDispatcher } from './create-outbound-dispatcher.ts';
import { createOutboundFetch, type OutboundFetch } from './create-outbound-fetch.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const everythingIsHere: LookupFunction = (_, __, callback) => {
  callback(null, [{ address: '127.0.0.1', family: 4 }]);
};

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on loopback that can be reached as `a.test` and `b.test`, and as nothing else. */
async function serve(
  answer: RequestListener,
): Promise<{ fetch: OutboundFetch; port: string; seen: Seen[]; server: Server }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      answer(request, response);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';
  const dispatcher = createOutboundDispatcher({
    allow: [`a.test:${port}`, `b.test:${port}`],
    lookup: everythingIsHere,
  });
  closing.push(
    () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
    () => dispatcher.destroy(),
  );
  return { fetch: createOutboundFetch(dispatcher), port, seen, server };
}

function redirecting(status: number, locations: Readonly<Record<string, (port: string) => string>>): RequestListener {
  return (request, response) => {
    const location = locations[request.url ?? ''];
    if (!location) response.end('arrived');
    else response.writeHead(status, { location: location(String(request.socket.localPort)) }).end('moved');
  };
}

test('a request and its reply pass through', async () => {
  const { fetch, port, seen } = await serve((_, response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'x-two': ['a', 'b'] }).end('{"ok":true}');
  });
  const reply = await fetch(`http://a.test:${port}/path?q=1`, {
    method: 'POST',
    headers: { Authorization: 'Bearer key', 'Content-Type': 'application/json' },
    body: '{}',
  });
  expect(reply.status).toBe(201);
  expect(reply.headers.get('x-two')).toBe('a, b');
  expect(await reply.json()).toEqual({ ok: true });
  expect(seen).toMatchObject([
    { method: 'POST', url: '/path?q=1', body: '{}', headers: { authorization: 'Bearer key' } },
  ]);
});

test('an address that cannot be used is not asked', async () => {
  const { fetch, port, seen } = await serve((_, response) => response.end());
  for (const url of [`http://user@a.test:${port}/`, `file:///etc/passwd`, `http://a.test:${port}#@b.test/`]) {
    await expect(fetch(url)).rejects.toMatchObject({ name: 'OutboundRefusedError', reason: 'url' });
  }
  await expect(fetch(`http://c.test:${port}/`)).rejects.toMatchObject({
    name: 'OutboundRefusedError',
    reason: 'address',
  });
  expect(seen).toEqual([]);
});

describe('redirects', () => {
  test('are followed within the same server, with the credential', async () => {
    const { fetch, port, seen } = await serve(
      redirecting(308, { '/1': () => '/2', '/2': (p) => `http://a.test:${p}/3` }),
    );
    const reply = await fetch(`http://a.test:${port}/1`, {
      method: 'POST',
      headers: { authorization: 'k' },
      body: 'b',
    });
    expect(await reply.text()).toBe('arrived');
    expect(seen.map(({ method, url, headers, body }) => [method, url, headers.authorization, body])).toEqual([
      ['POST', '/1', 'k', 'b'],
      ['POST', '/2', 'k', 'b'],
      ['POST', '/3', 'k', 'b'],
    ]);
  });

  test.each([
    ['a private address', (p: string) => `http://127.0.0.1:${p}/`],
    ['a private address without a scheme', (p: string) => `//127.0.0.1:${p}/`],
    ['a name that resolves to a private address', (p: string) => `http://c.test:${p}/`],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private address in disguise', (p: string) => `http://[::ffff:127.0.0.1]:${p}/`],
    ['an odd spelling', (p: string) => `http://127.1:${p}/`],
    ['another scheme', () => 'file:///etc/passwd'],
    ['an address with credentials', (p: string) => `http://x@b.test:${p}/`],
    ['an address with backslashes', (p: string) => `/\\b.test:${p}/`],
  ])('a chain that ends at %s is refused at that hop', async (_, last) => {
    const { fetch, port, seen } = await serve(redirecting(302, { '/1': (p) => `http://b.test:${p}/2`, '/2': last }));
    await expect(fetch(`http://a.test:${port}/1`)).rejects.toMatchObject({ name: 'OutboundRefusedError' });
    expect(seen.map(({ url }) => url)).toEqual(['/1', '/2']);
  });

  test('to another host drop every credential', async () => {
    const { fetch, port, seen } = await serve(redirecting(307, { '/1': (p) => `http://b.test:${p}/2` }));
    await fetch(`http://a.test:${port}/1`, {
      method: 'POST',
      headers: { AUTHORIZATION: 'Bearer canary', Cookie: 'canary', 'x-api-key': 'canary', accept: 'text/plain' },
      body: 'question',
    });
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer canary', cookie: 'canary', 'x-api-key': 'canary' });
    expect(seen[1]).toMatchObject({ method: 'POST', url: '/2', body: 'question', headers: { accept: 'text/plain' } });
    expect(JSON.stringify(seen[1])).not.toContain('canary');
  });

  test('a credential does not come back with a second redirect to the first host', async () => {
    const there = redirecting(307, { '/1': (p) => `http://b.test:${p}/2`, '/2': (p) => `http://a.test:${p}/3` });
    const { fetch, port, seen } = await serve(there);
    await fetch(`http://a.test:${port}/1`, { headers: { authorization: 'Bearer canary' } });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer canary', undefined, undefined]);
  });

  test.each([301, 302, 303])('%i turns a POST into a GET', async (status) => {
    const { fetch, port, seen } = await serve(redirecting(status, { '/1': () => '/2' }));
    await fetch(`http://a.test:${port}/1`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'b' });
    expect(seen[1]).toMatchObject({ method: 'GET', url: '/2', body: '' });
    expect(seen[1]?.headers).not.toHaveProperty('content-type');
  });

  test('in a circle end', async () => {
    const { fetch, port, seen } = await serve(redirecting(302, { '/1': () => '/1' }));
    await expect(fetch(`http://a.test:${port}/1`)).rejects.toMatchObject({
      name: 'OutboundRefusedError',
      reason: 'redirect',
    });
    expect(seen).toHaveLength(6);
  });
});

describe('a reply is cut', () => {
  const tooLarge = { name: 'OutboundLimitError', limit: 'bytes' };
  const MAX = 100_000;

  test('when it never ends, and its connection is closed', async () => {
    const closed = Promise.withResolvers<number>();
    const { fetch, port } = await serve((_, response) => {
      let sent = 0;
      const chunk = Buffer.alloc(16_384);
      const pour = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', pour).on('close', () => {
        closed.resolve(sent);
      });
      pour();
    });
    await expect(fetch(`http://a.test:${port}/`, { maxBytes: MAX })).rejects.toMatchObject(tooLarge);
    expect(await closed.promise).toBeLessThan(50_000_000);
  });

  test('when it says that it has 10 GB', async () => {
    const { fetch, port } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': String(10 * 1024 ** 3) }).write(Buffer.alloc(MAX + 1));
    });
    await expect(fetch(`http://a.test:${port}/`, { maxBytes: MAX })).rejects.toMatchObject(tooLarge);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)('when it is a %s bomb', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(MAX);
    const { fetch, port } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
    });
    await expect(fetch(`http://a.test:${port}/`, { maxBytes: MAX })).rejects.toMatchObject(tooLarge);
  });

  test('but not when it just fits', async () => {
    const { fetch, port } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(MAX)));
    });
    const reply = await fetch(`http://a.test:${port}/`, { maxBytes: MAX });
    expect(await reply.text()).toHaveLength(MAX);
    expect(reply.headers.get('content-encoding')).toBeNull();
  });

  test.each<[what: string, answer: RequestListener]>([
    ['never starts', () => undefined],
    ['drips', (_, response) => void response.write('x')],
    [
      'drips after a redirect',
      ({ url }, response) => {
        if (url === '/2') response.write('x');
        else response.writeHead(302, { location: '/2' }).end();
      },
    ],
  ])('when it %s, after the time limit', async (_, answer) => {
    const { fetch, port } = await serve(answer);
    await expect(fetch(`http://a.test:${port}/`, { timeoutMs: 100 })).rejects.toMatchObject({
      name: 'OutboundLimitError',
      limit: 'time',
    });
  });

  test.each([
    ['in a way that was not asked for', 'gzip, gzip', gzipSync('x')],
    ['badly', 'gzip', Buffer.from('not gzip')],
  ])('when it is compressed %s', async (_, encoding, body) => {
    const { fetch, port } = await serve((__, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    await expect(fetch(`http://a.test:${port}/`)).rejects.toThrow(/compressed/);
  });
});

test("the caller's abort closes the connection and is passed on", async () => {
  const controller = new AbortController();
  const closed = Promise.withResolvers<undefined>();
  const { fetch, port } = await serve((_, response) => {
    response
      .on('close', () => {
        closed.resolve(undefined);
      })
      .write('x');
    controller.abort(new Error('the turn ended'));
  });
  await expect(fetch(`http://a.test:${port}/`, { signal: controller.signal })).rejects.toThrow('the turn ended');
  await closed.promise;
});
