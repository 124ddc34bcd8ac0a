import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

/** A knowledge-base server to be tested, as a client knows it. */
export interface KbServerUnderTest {
  readonly url: string;
  readonly token: string;
  /** A page that the server can reach, and a sentence that stands in it. */
  readonly page: { readonly url: string; readonly sentence: string };
  stop?(): Promise<void>;
}

/** What a reply may carry; a field that is not there fails the assertion about it. */
interface Body {
  readonly id: number;
  readonly status: string;
  readonly file_registry_id: number;
  readonly total: number;
  readonly items: readonly unknown[];
  readonly count: number;
  readonly results: readonly { similarity: number; data: string; metadata: unknown }[];
  readonly content: string;
}

interface Reply {
  readonly status: number;
  readonly body: Body;
}

const text = expect.any(String) as string;
const count = expect.any(Number) as number;
const TIMEOUT = { timeout: 20_000, interval: 50 };

/** What every server with the knowledge-base interface does, ours and those of older installations. */
export function describeKbServer(name: string, open: () => Promise<KbServerUnderTest>): void {
  // Longer than what is awaited in a test.
  describe(`${name} as a knowledge-base server`, { timeout: 30_000 }, () => {
    let server: KbServerUnderTest;
    let made = 0;

    beforeAll(async () => {
      server = await open();
    });
    afterAll(() => server.stop?.());

    const send = async (method: string, path: string, init: RequestInit = {}): Promise<Reply> => {
      const response = await fetch(server.url + path, { ...init, method });
      return { status: response.status, body: (await response.json()) as Body };
    };
    const bearer = () => ({ authorization: `Bearer ${server.token}` });
    const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
      send(method, path, {
        headers: { ...bearer(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const upload = (id: number, file: File, fields: Record<string, string> = {}): Promise<Reply> => {
      const form = new FormData();
      form.set('file', file);
      for (const [field, value] of Object.entries({ plugin_name: 'simple_ingest', ...fields })) form.set(field, value);
      return send('POST', `/collections/${id}/ingest-file`, { headers: bearer(), body: form });
    };
    const makeCollection = async (): Promise<number> => {
      const { status, body } = await call('POST', '/collections', { name: `conformance ${++made}`, owner: '1' });
      expect(status).toBe(201);
      return body.id;
    };
    const readJob = async (id: number): Promise<Reply> => await call('GET', `/ingestion-jobs/${id}`);
    const endOf = async (id: number): Promise<string> =>
      await vi.waitFor(async () => {
        const { body } = await readJob(id);
        expect(['completed', 'failed', 'cancelled'], JSON.stringify(body)).toContain(body.status);
        return body.status;
      }, TIMEOUT);
    const query = (id: number, body: object): Promise<Reply> =>
      call('POST', `/collections/${id}/query?plugin_name=simple_query`, body);
    /** Texts are read one after the other, so the first hit is awaited, not just any. */
    const found = async (id: number, words: string, sentence: string): Promise<Reply> =>
      await vi.waitFor(async () => {
        const reply = await query(id, { query_text: words });
        expect(reply.body.results[0]?.data, JSON.stringify(reply.body)).toContain(sentence);
        return reply;
      }, TIMEOUT);

    test('says that it is well, to anybody', async () => {
      expect(await send('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    });

    test('answers nothing else without the token', async () => {
      const headers = { authorization: 'Bearer wrong' };
      for (const path of [
        '/collections',
        '/collections/1',
        '/collections/1/files',
        '/ingestion-jobs',
        '/files/1/content',
      ]) {
        expect(await send('GET', path), path).toMatchObject({ status: 401, body: { detail: text } });
        expect(await send('GET', path, { headers }), path).toMatchObject({ status: 401, body: { detail: text } });
      }
    });

    test('makes, lists, reads and deletes collections', async () => {
      const name = 'conformance: physics';
      const created = await call('POST', '/collections', {
        name,
        description: 'What falls and why',
        owner: '7',
        visibility: 'private',
        embeddings_model: { vendor: 'default', model: 'default', api_endpoint: 'default', apikey: 'default' },
      });
      expect(created).toMatchObject({
        status: 201,
        body: { id: count, name, description: 'What falls and why', visibility: 'private', creation_date: text },
      });
      const { id } = created.body;
      expect(Number.isInteger(id)).toBe(true);
      expect(await call('POST', '/collections', { name, owner: '7' })).toMatchObject({
        status: 409,
        body: { detail: text },
      });
      expect(await call('GET', `/collections/${id}`)).toMatchObject({ status: 200, body: { id, name } });
      const { body: list } = await call('GET', '/collections?skip=0&limit=100');
      expect(list.total).toBeGreaterThanOrEqual(list.items.length);
      expect(list.items).toContainEqual(expect.objectContaining({ id, name }));
      const { body: part } = await call('GET', '/collections?limit=1');
      expect(part.items).toHaveLength(1);
      expect((await call('DELETE', `/collections/${id}`)).status).toBe(200);
      expect(await call('GET', `/collections/${id}`)).toMatchObject({ status: 404, body: { detail: text } });
    });

    test('says what is wrong with a request', async () => {
      const id = await makeCollection();
      const invalid = { status: 422, body: { detail: [{ loc: ['body', text], msg: text }] } };
      expect(await call('POST', '/collections', {})).toMatchObject(invalid);
      expect(await query(id, {})).toMatchObject(invalid);
      expect(await call('POST', `/collections/${id}/documents`, {})).toMatchObject(invalid);
      expect(await call('POST', `/collections/${id}/ingest-url`, { urls: [] })).toMatchObject(invalid);
      const missing = { status: 404, body: { detail: text } };
      expect(await query(999_999_999, { query_text: 'x' })).toMatchObject(missing);
      expect(await call('POST', `/collections/${id}/query?plugin_name=other`, { query_text: 'x' })).toMatchObject(
        missing,
      );
      expect(await call('GET', '/collections/999999999/files')).toMatchObject(missing);
      expect(await call('GET', '/files/999999999/content')).toMatchObject(missing);
      expect(await readJob(999_999_999)).toMatchObject(missing);
    });

    test('adds texts and finds them', async () => {
      const id = await makeCollection();
      const documents = [
        { text: 'The lamb is a young sheep.', metadata: { filename: 'sheep.md' } },
        { text: 'The foal is a young horse.', metadata: { filename: 'horses.md' } },
        { text: 'Invoices are due in March.', metadata: { filename: 'money.md' } },
      ];
      expect(await call('POST', `/collections/${id}/documents`, { documents })).toMatchObject({
        status: 200,
        body: { collection_id: id, documents_added: 3, success: true },
      });
      await found(id, 'invoices due March', 'Invoices are due in March.');
      await found(id, 'young horse', 'The foal is a young horse.');
      const reply = await found(id, 'lamb young sheep', 'The lamb is a young sheep.');
      expect(reply).toMatchObject({
        status: 200,
        body: { query: 'lamb young sheep', timing: { total_seconds: count, total_ms: count } },
      });
      const { results } = reply.body;
      expect(reply.body.count).toBe(results.length);
      expect(results[0]).toMatchObject({ metadata: { filename: 'sheep.md', chunk_index: count } });
      for (const { similarity } of results) {
        expect(similarity).toBeGreaterThanOrEqual(0);
        expect(similarity).toBeLessThanOrEqual(1);
      }
      expect((await query(id, { query_text: 'young', top_k: 1 })).body).toMatchObject({ count: 1 });
      const strict = await query(id, { query_text: 'young zebra crossing', threshold: 0.99 });
      expect(strict.body).toMatchObject({ results: [], count: 0 });
    });

    test('takes a file, tells how far it is, and gives it back', async () => {
      const id = await makeCollection();
      const content = '# Mountains\n\nVolcanoes are mountains that spit fire.\n\nGlaciers are rivers of ice.';
      const added = await upload(id, new File([content], 'ñotes.md', { type: 'text/markdown' }), {
        plugin_params: JSON.stringify({ chunk_size: 400 }),
      });
      expect(added).toMatchObject({
        status: 200,
        body: {
          collection_id: id,
          success: true,
          file_registry_id: count,
          file_url: text,
          original_filename: 'ñotes.md',
          plugin_name: 'simple_ingest',
          status: text,
        },
      });
      const file = added.body.file_registry_id;
      expect(await endOf(file)).toBe('completed');
      const job = {
        id: file,
        collection_id: id,
        original_filename: 'ñotes.md',
        status: 'completed',
        error_message: null,
      };
      expect((await readJob(file)).body).toMatchObject({ ...job, progress: { percentage: 100 } });
      expect((await call('GET', `/collections/${id}/ingestion-jobs/${file}`)).body).toMatchObject(job);
      expect((await call('GET', `/collections/${id}/ingestion-jobs`)).body).toMatchObject({ total: 1, items: [job] });
      expect((await call('GET', '/ingestion-jobs')).body.items).toContainEqual(expect.objectContaining({ id: file }));

      const listed = await call('GET', `/collections/${id}/files`);
      expect(listed.body).toMatchObject([
        { id: file, collection_id: id, original_filename: 'ñotes.md', status: 'completed', file_url: text },
      ]);
      expect((await call('GET', `/collections/${id}/files?status=failed`)).body).toEqual([]);
      const read = await call('GET', `/files/${file}/content`);
      expect(read.body).toMatchObject({ file_id: file, original_filename: 'ñotes.md', chunk_count: count });
      expect(read.body.content).toContain('Glaciers are rivers of ice.');

      const { body } = await found(id, 'glaciers rivers ice', 'Glaciers are rivers of ice.');
      expect(body.results[0]?.metadata).toMatchObject({ filename: 'ñotes.md', file_url: text, chunk_index: count });

      for (const action of ['retry', 'cancel']) {
        const { status, body: refusal } = await call('POST', `/ingestion-jobs/${file}/${action}`);
        expect(status, action).toBeGreaterThanOrEqual(400);
        expect(status, action).toBeLessThan(500);
        expect(refusal).toMatchObject({ detail: text });
      }
      expect((await call('DELETE', `/collections/${id}`)).status).toBe(200);
      expect((await call('GET', `/files/${file}/content`)).status).toBe(404);
    });

    test('says why a file could not be read, and tries it again', async () => {
      const id = await makeCollection();
      const added = await upload(
        id,
        new File(['%PDF-1.7\n\u0000\u0001\u0002 and no more'], 'broken.pdf', { type: 'application/pdf' }),
      );
      expect(added.status).toBe(200);
      const file = added.body.file_registry_id;
      expect(await endOf(file)).toBe('failed');
      expect((await readJob(file)).body).toMatchObject({ status: 'failed', error_message: text });
      expect((await call('GET', `/collections/${id}/files?status=failed`)).body).toMatchObject([{ id: file }]);
      expect((await call('POST', `/collections/${id}/ingestion-jobs/${file}/retry`)).status).toBe(200);
      expect(await endOf(file)).toBe('failed');
    });

    test('takes a page of the web', async () => {
      const id = await makeCollection();
      const added = await call('POST', `/collections/${id}/ingest-url`, {
        urls: [server.page.url],
        plugin_name: 'url_ingest',
        plugin_params: {},
      });
      expect(added).toMatchObject({ status: 200, body: { collection_id: id, success: true, file_registry_id: count } });
      expect(await endOf(added.body.file_registry_id)).toBe('completed');
      const { body } = await found(id, server.page.sentence, server.page.sentence);
      expect(body.results[0]?.metadata).toMatchObject({ source_url: server.page.url });
    });
  });
}
