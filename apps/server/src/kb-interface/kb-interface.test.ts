import { startKbServer, type KbServer } from '@lamb/testing';
import { describeKbServer, startPageServer, type PageServer } from '@lamb/testing/conformance';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { queryKbServer } from '../host/query-kb-server.ts';
import { createOutboundDispatcher } from '../outbound/create-outbound-dispatcher.ts';
import { createOutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { makeKey, startTestServer, type TestServer } from '../test-server/start-test-server.ts';

// Longer than what is awaited in a test.
vi.setConfig({ testTimeout: 30_000 });

let lamb: TestServer;
let other: KbServer;
let pages: PageServer;

beforeAll(async () => {
  [other, pages] = await Promise.all([startKbServer(), startPageServer()]);
  lamb = await startTestServer({ LAMB_OUTBOUND_ALLOW: new URL(pages.url).host });
});
afterAll(async () => {
  await lamb.stop();
  await Promise.all([other.stop(), pages.stop()]);
});

describeKbServer('our server', () =>
  Promise.resolve({ url: lamb.url, token: lamb.north.teacher.key, page: pages.page }),
);

describe('our client', () => {
  const documents = [
    { text: 'A vector has a length and a direction.', metadata: { filename: 'a.md' } },
    { text: 'A matrix has rows and columns.', metadata: { filename: 'b.md', source_url: 'https://uni.example/b' } },
  ];

  test.each(['ours', 'older'] as const)('searches a server: %s', async (which) => {
    const { url, token } = which === 'ours' ? { url: lamb.url, token: lamb.north.teacher.key } : other;
    const send = async (path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(reply.ok).toBe(true);
      return (await reply.json()) as { id: number };
    };
    const { id } = await send('/collections', { name: 'algebra' });
    await send(`/collections/${id}/documents`, { documents });
    const dispatcher = createOutboundDispatcher({ allow: [new URL(url).host] });
    const query = (text: string, apiKey = token, collection = String(id)) =>
      queryKbServer({
        baseUrl: url,
        apiKey,
        collection,
        query: text,
        topK: 1,
        threshold: 0,
        fetch: createOutboundFetch(dispatcher),
        signal: new AbortController().signal,
      });
    try {
      await vi.waitFor(
        async () => {
          expect(await query('vector length direction')).toEqual([
            expect.objectContaining({ text: expect.stringContaining('A vector has a length'), title: 'a.md' }),
          ]);
          expect(await query('matrix rows columns')).toEqual([
            expect.objectContaining({ title: 'b.md', url: 'https://uni.example/b' }),
          ]);
        },
        { timeout: 20_000, interval: 50 },
      );
      const [cited] = await query('vector length direction');
      if (which === 'ours') {
        // Signed: also who may not read the collection opens it.
        const opened = await lamb.call(lamb.north.student, 'GET', cited?.url ?? '');
        expect(opened.body).toMatchObject({ text: expect.stringContaining('A vector has a length') as string });
      }
      await expect(query('vector', 'wrong')).rejects.toThrow(/did not accept the organisation's key/);
      await expect(query('vector', token, '999999999')).rejects.toThrow(/has no such collection/);
    } finally {
      await dispatcher.destroy();
    }
  });

  test('gets nothing with the key of another organisation, of a student, or of one that is limited to an assistant', async () => {
    const send = (key: string, method: string, path: string, body?: unknown) => lamb.call({ key }, method, path, body);
    const { id } = (await send(lamb.south.teacher.key, 'POST', '/collections', { name: 'secret' })).body as {
      id: number;
    };
    const missing = await send(lamb.north.teacher.key, 'POST', '/collections/999999999/query', { query_text: 'x' });
    const foreign = await send(lamb.north.teacher.key, 'POST', `/collections/${id}/query`, { query_text: 'x' });
    expect(foreign.status).toBe(404);
    expect(foreign.body).toMatchObject({ detail: (missing.body as { detail: string }).detail });
    expect((await send(lamb.south.student.key, 'GET', `/collections/${id}`)).status).toBe(403);
    const holder = { userId: lamb.south.teacher.id, organizationId: lamb.south.id };
    const limited = await makeKey(lamb.services, { ...holder, assistants: [1] });
    expect((await send(limited, 'GET', `/collections/${id}`)).status).toBe(403);
    expect((await send(limited, 'GET', '/collections')).status).toBe(403);
    expect((await send(lamb.south.teacher.key, 'GET', `/collections/${id}`)).status).toBe(200);
  });
});
