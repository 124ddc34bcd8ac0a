import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { spawnKbServer } from './spawn-kb-server.ts';
import { startKbServer, type KbServer } from './start-kb-server.ts';

let server: KbServer;

beforeAll(async () => {
  server = await startKbServer({ token: 'secret' });
});
afterEach(() => {
  server.reset();
});
afterAll(() => server.stop());

test('only health answers without the token', async () => {
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  const response = await fetch(`${server.url}/collections`, { headers: { authorization: 'Bearer wrong' } });
  expect(response.status).toBe(401);
});

test('collections are made, listed, read and deleted', async () => {
  const made = await call('POST', '/collections', { name: 'physics', description: 'd', owner: 'ana@example.org' });
  expect(made).toMatchObject({ status: 201, body: { name: 'physics', owner: 'ana@example.org' } });
  const { id } = made.body as { id: number };
  expect(id).toBeTypeOf('number');
  expect((await call('POST', '/collections', { name: 'physics', owner: 'ana@example.org' })).status).toBe(409);
  expect((await call('POST', '/collections', {})).status).toBe(422);
  expect((await call('GET', `/collections/${id}`)).body).toMatchObject({ id, name: 'physics' });
  expect((await call('GET', '/collections')).body).toMatchObject({
    items: expect.arrayContaining([made.body]) as object,
  });
  expect((await call('DELETE', `/collections/${id}`)).status).toBe(200);
  expect(await call('GET', `/collections/${id}`)).toEqual({
    status: 404,
    body: { detail: `Collection with ID ${id} not found` },
  });
});

describe('queries', () => {
  let id: number;
  beforeAll(() => {
    id = server.addCollection('animals', [
      { text: 'The lamb is a young sheep.', metadata: { filename: 'sheep.md', page: 2 } },
      { text: 'The foal is a young horse.' },
      { text: 'Invoices are due in March.' },
    ]);
  });

  test('rank by shared words, with citation metadata', async () => {
    const { body } = await query({ query_text: 'young sheep' });
    expect(body).toMatchObject({
      results: [
        {
          similarity: 1,
          data: 'The lamb is a young sheep.',
          metadata: { filename: 'sheep.md', page: 2, chunk_index: 0 },
        },
        { similarity: 0.5, data: 'The foal is a young horse.', metadata: { chunk_index: 1 } },
      ],
      count: 2,
      query: 'young sheep',
    });
  });

  test('keep to the threshold and to top_k', async () => {
    expect((await query({ query_text: 'young sheep', threshold: 0.6 })).body).toMatchObject({ count: 1 });
    expect((await query({ query_text: 'young', top_k: 1 })).body).toMatchObject({ count: 1 });
    expect((await query({ query_text: 'zebra' })).body).toMatchObject({ results: [], count: 0 });
  });

  test('say what is wrong', async () => {
    expect((await query({})).status).toBe(422);
    expect((await call('POST', `/collections/${id}/query?plugin_name=other`, { query_text: 'x' })).status).toBe(404);
    expect((await call('POST', '/collections/999/query', { query_text: 'x' })).status).toBe(404);
  });

  test('are recorded', async () => {
    await query({ query_text: 'young', top_k: 3 });
    expect(server.requests).toMatchObject([
      {
        path: `/collections/${id}/query`,
        query: { plugin_name: 'simple_query' },
        headers: { authorization: 'Bearer secret' },
        body: { query_text: 'young', top_k: 3 },
      },
    ]);
  });

  const query = (body: object) => call('POST', `/collections/${id}/query?plugin_name=simple_query`, body);
});

test('documents and files are added, and files can be read back', async () => {
  const id = server.addCollection('library');
  const added = await call('POST', `/collections/${id}/documents`, { documents: [{ text: 'loose leaf' }] });
  expect(added.body).toMatchObject({ collection_id: id, documents_added: 1, success: true });

  const text = 'First page about volcanoes.\f\nSecond page about glaciers.';
  const form = new FormData();
  form.set('file', new File([text], 'ñotes.txt', { type: 'text/plain' }));
  form.set('plugin_name', 'simple_ingest');
  form.set('plugin_params', JSON.stringify({ chunk_size: 400 }));
  const response = await fetch(`${server.url}/collections/${id}/ingest-file`, {
    method: 'POST',
    headers: { authorization: 'Bearer secret' },
    body: form,
  });
  expect(await response.json()).toMatchObject({ documents_added: 2, original_filename: 'ñotes.txt' });

  const found = await call('POST', `/collections/${id}/query`, { query_text: 'glaciers' });
  const { metadata } = (found.body as { results: { metadata: { file_url: string } }[] }).results[0] ?? {};
  expect(metadata).toMatchObject({ filename: 'ñotes.txt', page: 2, chunk_index: 1 });
  const files = await call('GET', `/collections/${id}/files`);
  expect(files.body).toMatchObject([
    { original_filename: 'ñotes.txt', document_count: 2, file_url: metadata?.file_url },
  ]);
  const path = new URL(metadata?.file_url ?? '').pathname;
  expect((await call('GET', path)).body).toMatchObject({ content: text, content_type: 'text/plain' });
});

test('an older server calls the hits documents', async () => {
  const older = await startKbServer({ hitsKey: 'documents', token: 'secret' });
  try {
    const id = older.addCollection('old', [{ text: 'hello' }]);
    const { body } = await call('POST', `/collections/${id}/query`, { query_text: 'hello' }, older.url);
    expect(body).toMatchObject({ documents: [{ data: 'hello' }], count: 1 });
    expect(body).not.toHaveProperty('results');
  } finally {
    await older.stop();
  }
});

describe('faults', () => {
  test('a status, once, on the named path only', async () => {
    server.fail({ path: '/query', status: 500 });
    expect((await call('GET', '/collections')).status).toBe(200);
    expect((await call('POST', '/collections/1/query', {})).status).toBe(500);
    expect((await call('POST', '/collections/1/query', {})).status).not.toBe(500);
  });

  test('garbage with a good status', async () => {
    server.fail({ garbage: true });
    const response = await fetch(`${server.url}/collections`);
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  test('a delay, then the proper answer', async () => {
    server.fail({ delayMs: 60, times: 2 });
    for (let round = 0; round < 2; round++) {
      const started = performance.now();
      expect((await call('GET', '/collections')).status).toBe(200);
      expect(performance.now() - started).toBeGreaterThanOrEqual(58);
    }
  });

  test('hanging until the client gives up', async () => {
    server.fail({ hang: true, times: 'always' });
    const abort = new AbortController();
    const pending = fetch(`${server.url}/health`, { signal: abort.signal });
    await vi.waitFor(() => {
      expect(server.requests).toHaveLength(1);
    });
    abort.abort();
    await expect(pending).rejects.toThrow('aborted');
    await vi.waitFor(() => {
      expect(server.requests[0]?.closedEarlyAt).toBeTypeOf('number');
    });
  });
});

test('runs as a process with faults over HTTP', async () => {
  const spawned = await spawnKbServer(['--token', 'secret', '--older']);
  try {
    expect((await call('POST', '/collections', { name: 'one' }, spawned.url)).status).toBe(201);
    await call('POST', '/__fail', { status: 503 }, spawned.url);
    expect((await call('GET', '/collections', undefined, spawned.url)).status).toBe(503);
    expect((await call('GET', '/__requests', undefined, spawned.url)).body).toHaveLength(2);
  } finally {
    await spawned.stop();
  }
});

async function call(method: string, path: string, body?: unknown, url = server.url) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
