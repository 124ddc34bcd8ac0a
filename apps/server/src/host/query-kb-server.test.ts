import { ToolFailure } from '@lamb/plugin-kit';
import { startKbServer, type KbServer, type KbServerOptions } from '@lamb/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutboundDispatcher } from '../outbound/create-outbound-dispatcher.ts';
import { createOutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { queryKbServer } from './query-kb-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: KbServerOptions & { allowed?: boolean } = {}) {
  const kb = await startKbServer(options);
  const dispatcher = createOutboundDispatcher({ allow: options.allowed === false ? [] : [new URL(kb.url).host] });
  closing.push(
    () => kb.stop(),
    () => dispatcher.destroy(),
  );
  const collection = kb.addCollection('algebra', [
    {
      text: 'a vector has a length and a direction',
      metadata: { filename: 'a.pdf', page: 2, file_url: `${kb.url}/files/1` },
    },
    { text: 'a vector', metadata: { filename: 'b.pdf', source_url: 'https://uni.example/b' } },
    { text: 'a matrix', metadata: { filename: 'c.pdf' } },
  ]);
  const query = (changed: Partial<Parameters<typeof queryKbServer>[0]> = {}) =>
    queryKbServer({
      baseUrl: kb.url,
      apiKey: kb.token,
      collection: String(collection),
      query: 'vector length',
      topK: 2,
      threshold: 0.01,
      fetch: createOutboundFetch(dispatcher),
      signal: new AbortController().signal,
      ...changed,
    });
  return { kb, query };
}

/** What a creator is told; it names the collection and never the server, its answer or its key. */
async function failureOf(kb: KbServer, query: Promise<unknown>): Promise<string> {
  const error: unknown = await query.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ToolFailure);
  const { message } = error as ToolFailure;
  expect(message).toContain('Collection');
  for (const secret of [new URL(kb.url).host, '127.0.0.1', kb.token, 'Scripted']) expect(message).not.toContain(secret);
  return message;
}

test.each(['results', 'documents'] as const)('a server that calls its hits %s is searched', async (hitsKey) => {
  const { kb, query } = await start({ hitsKey });
  expect(await query()).toEqual([
    expect.objectContaining({
      text: 'a vector has a length and a direction',
      title: 'a.pdf',
      page: 2,
      url: '/files/1',
    }),
    expect.objectContaining({ text: 'a vector', title: 'b.pdf', url: 'https://uni.example/b' }),
  ]);
  expect(kb.requests).toMatchObject([
    {
      method: 'POST',
      path: '/collections/1/query',
      query: { plugin_name: 'simple_query' },
      headers: { authorization: `Bearer ${kb.token}` },
      body: { query_text: 'vector length', top_k: 2, threshold: 0.01 },
    },
  ]);
});

test('the address may end in a slash', async () => {
  const { kb, query } = await start();
  await query({ baseUrl: `${kb.url}/` });
  expect(kb.requests[0]?.path).toBe('/collections/1/query');
});

describe('what goes wrong', () => {
  test('no such collection', async () => {
    const { kb, query } = await start();
    expect(await failureOf(kb, query({ collection: '99' }))).toBe(
      'Collection 99 could not be queried: the knowledge-base server has no such collection.',
    );
  });

  test('a wrong key, or none', async () => {
    const { kb, query } = await start();
    expect(await failureOf(kb, query({ apiKey: 'wrong' }))).toMatch(/did not accept the organisation's key\.$/);
    expect(await failureOf(kb, query({ apiKey: undefined }))).toMatch(/did not accept the organisation's key\.$/);
  });

  test('an error of the server', async () => {
    const { kb, query } = await start();
    kb.fail({ status: 500 });
    expect(await failureOf(kb, query())).toMatch(/answered with status 500\.$/);
  });

  test('garbage', async () => {
    const { kb, query } = await start();
    kb.fail({ garbage: true });
    expect(await failureOf(kb, query())).toMatch(/gave an answer that cannot be read\.$/);
  });

  test('no answer in time', async () => {
    const { kb, query } = await start();
    kb.fail({ hang: true });
    expect(await failureOf(kb, query({ timeoutMs: 100 }))).toMatch(/did not answer in time\.$/);
  });

  test('no server', async () => {
    const { kb, query } = await start();
    await kb.stop();
    closing.shift();
    expect(await failureOf(kb, query())).toMatch(/cannot be reached\.$/);
  });

  test('a private address that the operator did not allow', async () => {
    const { kb, query } = await start({ allowed: false });
    expect(await failureOf(kb, query())).toMatch(/address is not allowed/);
    expect(kb.requests).toEqual([]);
  });

  test.each(['..', '1/../2', '1?x=', '', '1 2'])('the collection “%s” is never asked for', async (collection) => {
    const { kb, query } = await start();
    await expect(query({ collection })).rejects.toThrow(ToolFailure);
    expect(kb.requests).toEqual([]);
  });
});

test("the caller's abort closes the connection and is passed on", async () => {
  const { kb, query } = await start();
  kb.fail({ hang: true });
  const controller = new AbortController();
  const answer = query({ signal: controller.signal });
  await expect.poll(() => kb.requests).toHaveLength(1);
  controller.abort(new Error('the turn ended'));
  await expect(answer).rejects.toThrow('the turn ended');
  await expect.poll(() => kb.requests[0]?.closedEarlyAt).toBeTypeOf('number');
});
