import {
  ChunkPage,
  CollectionPage,
  CollectionQueryReply,
  CollectionResource,
  DocumentAdded,
  DocumentsAdded,
  Passage,
} from '@lamb/contract';
import { startPageServer, type PageServer } from '@lamb/testing/conformance';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { addDocument, uploadDocuments, waitUntilReady } from '../collections/__fixtures__/add-document.ts';
import {
  startTestServer,
  testOrganizationConfig,
  type Person,
  type Reply,
  type TestServer,
} from '../test-server/start-test-server.ts';
import { send } from './__fixtures__/send.ts';

// Longer than what is awaited in a test.
vi.setConfig({ testTimeout: 30_000 });

let lamb: TestServer;
let pages: PageServer;
let teacher: Person;
let colleague: Person;

beforeAll(async () => {
  pages = await startPageServer();
  lamb = await startTestServer({ LAMB_OUTBOUND_ALLOW: new URL(pages.url).host });
  ({ teacher, colleague } = lamb.north);
});
beforeEach(() => {
  lamb.llm.reset();
});
afterAll(async () => {
  await lamb.stop();
  await pages.stop();
});

const small = { provider: 'openai', model: 'text-embedding-3-small', dimensions: 64 };

async function makeCollection(more: object = {}, owner = teacher): Promise<CollectionResource> {
  const body = { name: randomUUID(), embedding: small, ...more };
  const reply = await lamb.call(owner, 'POST', '/lamb/v1/collections', body);
  expect(reply.status, reply.text).toBe(201);
  return CollectionResource.parse(reply.body);
}

const search = (person: Pick<Person, 'key'>, id: number, query: string, more: object = {}): Promise<Reply> =>
  lamb.call(person, 'POST', `/lamb/v1/collections/${id}/query`, { query, ...more });

const share = (id: number, ...emails: string[]) =>
  lamb.call(teacher, 'PUT', `/lamb/v1/collections/${id}/shares`, { emails });

describe('a collection', () => {
  test('is made with the organisation’s model, which is asked how long its vectors are', async () => {
    const reply = await lamb.call(teacher, 'POST', '/lamb/v1/collections', { name: 'Physics', language: 'english' });
    expect(reply.status, reply.text).toBe(201);
    expect(CollectionResource.parse(reply.body)).toMatchObject({
      name: 'Physics',
      owner: teacher.email,
      is_own: true,
      visibility: 'private',
      language: 'english',
      embedding: { provider: 'openai', model: 'text-embedding-3-small', dimensions: 1536 },
      chunking: { max_tokens: 300, overlap_tokens: 40 },
      ranking: { lexical_weight: 2, dense_weight: 1, rank_constant: 10 },
      documents: 0,
      chunks: 0,
      search: 'exact',
      reindexing: false,
      reindex_progress: null,
      reindex_problem: null,
      warnings: [],
    });
    const again = await lamb.call(teacher, 'POST', '/lamb/v1/collections', { name: 'Physics' });
    expect(again).toMatchObject({ status: 409, body: { code: 'name_taken' } });
    const other = await lamb.call(colleague, 'POST', '/lamb/v1/collections', { name: 'Physics', embedding: small });
    expect(other.status).toBe(201);
  });

  test('of a provider that is not set up is not made', async () => {
    const body = { name: 'x', embedding: { provider: 'mistral', model: 'mistral-embed', dimensions: 8 } };
    const reply = await lamb.call(teacher, 'POST', '/lamb/v1/collections', body);
    expect(reply).toMatchObject({ status: 422, body: { code: 'provider_not_configured' } });
  });

  test('is changed and deleted by its owner', async () => {
    const { id } = await makeCollection();
    const ranking = { lexical_weight: 3, dense_weight: 0.5, rank_constant: 20 };
    const changed = await lamb.call(teacher, 'PATCH', `/lamb/v1/collections/${id}`, { name: `New ${id}`, ranking });
    expect(changed.body).toMatchObject({ id, name: `New ${id}`, ranking, description: '' });
    expect((await lamb.call(teacher, 'DELETE', `/lamb/v1/collections/${id}`)).status).toBe(204);
    expect((await lamb.call(teacher, 'GET', `/lamb/v1/collections/${id}`)).status).toBe(404);
  });

  test('is warned of when its texts leave for somebody else, to its owner only', async () => {
    const path = '/lamb/v1/organizations/current/config';
    const providers = { openai: { api_key: 'sk-x', base_url: 'https://api.example.com/v1', enabled: true } };
    const put = await lamb.call(lamb.south.admin, 'PUT', path, {
      setups: { default: { is_default: true, providers } },
    });
    expect(put.status, put.text).toBe(200);
    try {
      const made = await makeCollection({ visibility: 'organization' }, lamb.south.teacher);
      expect(made.warnings).toEqual([
        { code: 'external_provider', message: expect.stringContaining('api.example.com') as string },
      ]);
      const offers = await lamb.call(lamb.south.teacher, 'GET', '/lamb/v1/collections/embeddings');
      expect(offers.body).toEqual({
        default: { provider: 'openai', model: 'text-embedding-3-small' },
        providers: [{ name: 'openai', models: [], external: 'api.example.com' }],
      });
      const seen = await lamb.call(lamb.south.colleague, 'GET', `/lamb/v1/collections/${made.id}`);
      expect(seen.body).toMatchObject({ is_own: false, warnings: [] });
      await lamb.call(lamb.south.admin, 'PUT', path, { setups: {} });
      const missing = await lamb.call(lamb.south.teacher, 'GET', `/lamb/v1/collections/${made.id}`);
      expect(missing.body).toMatchObject({ warnings: [{ code: 'provider_missing' }] });
    } finally {
      await lamb.call(lamb.south.admin, 'PUT', path, testOrganizationConfig(lamb.llm, lamb.kb));
    }
  });
});

describe('documents', () => {
  test('are uploaded, several at once, and found with page, headings and an address', async () => {
    const { id } = await makeCollection({ language: 'english' });
    const reply = await uploadDocuments(lamb, teacher, id, {
      'plants.md': '# Plants\n\n## Leaves\n\nChlorophyll makes leaves green.',
      '../../rocks.txt': 'Granite is a hard rock of quartz and feldspar.',
    });
    expect(reply.status, reply.text).toBe(201);
    const { items } = DocumentsAdded.parse(reply.body);
    expect(items.map(({ document, duplicate }) => [document.filename, duplicate])).toEqual([
      ['plants.md', false],
      ['rocks.txt', false],
    ]);
    for (const { document } of items) await waitUntilReady(lamb, teacher, document);
    const found = await search(teacher, id, 'why are leaves green');
    expect(found.status, found.text).toBe(200);
    const { hits, milliseconds } = CollectionQueryReply.parse(found.body);
    expect(hits[0]).toMatchObject({
      collection_id: id,
      document_id: items[0]?.document.id,
      filename: 'plants.md',
      heading_path: ['Plants', 'Leaves'],
      lexical_rank: 1,
      dense_rank: 1,
    });
    expect(hits[0]?.text).toContain('Chlorophyll makes leaves green.');
    expect(hits[0]?.similarity).toBeGreaterThan(0);
    expect(milliseconds.search).toBeGreaterThan(0);
    const read = await lamb.call(teacher, 'GET', hits[0]?.url ?? '');
    expect(Passage.parse(read.body)).toMatchObject({ heading_path: ['Plants', 'Leaves'] });
    expect(Passage.parse(read.body).text).toContain('Chlorophyll makes leaves green.');
    expect((await lamb.call(teacher, 'GET', `/lamb/v1/collections/${id}`)).body).toMatchObject({ documents: 2 });
  });

  test('with the same content are the same document', async () => {
    const { id } = await makeCollection();
    const first = await addDocument(lamb, teacher, id, 'one.txt', 'The same words.');
    const again = await uploadDocuments(lamb, teacher, id, { 'two.txt': 'The same words.' });
    expect(DocumentsAdded.parse(again.body).items).toMatchObject([
      { duplicate: true, document: { id: first.id, filename: 'one.txt' } },
    ]);
    const elsewhere = await makeCollection();
    const other = await uploadDocuments(lamb, teacher, elsewhere.id, { 'one.txt': 'The same words.' });
    expect(DocumentsAdded.parse(other.body).items).toMatchObject([{ duplicate: false }]);
  });

  test('are given back as they came, as an attachment', async () => {
    const { id } = await makeCollection();
    const html = '<script>alert(1)</script><p>Some words that can be read and are long enough for anybody.</p>';
    const { items } = DocumentsAdded.parse((await uploadDocuments(lamb, teacher, id, { 'ñ.html': html })).body);
    const path = `/lamb/v1/collections/${id}/documents/${items[0]?.document.id ?? ''}`;
    const reply = await lamb.call(teacher, 'GET', `${path}/content`);
    expect(reply.text).toBe(html);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''%C3%B1.html",
      'x-content-type-options': 'nosniff',
    });
  });

  test('are listed with their passages, and leave nothing behind when deleted', async () => {
    const { id } = await makeCollection();
    const kept = await addDocument(lamb, teacher, id, 'kept.md', 'Walnuts grow on trees.');
    const gone = await addDocument(lamb, teacher, id, 'gone.md', 'Walnuts are sold in bags.');
    const path = `/lamb/v1/collections/${id}/documents`;
    const { items } = ChunkPage.parse((await lamb.call(teacher, 'GET', `${path}/${gone.id}/chunks`)).body);
    expect(items).toMatchObject([
      { document_id: gone.id, ordinal: 0, text: expect.stringContaining('bags') as string },
    ]);
    const [{ start, end } = { start: 0, end: 0 }] = items;
    const passage = `${path}/${gone.id}/passage?start=${start}&end=${end}`;
    expect((await lamb.call(teacher, 'GET', passage)).body).toMatchObject({ before: '', after: '' });
    expect((await lamb.call(teacher, 'GET', `${path}/${gone.id}/passage?start=5&end=999`)).status).toBe(404);
    expect((await lamb.call(teacher, 'DELETE', `${path}/${gone.id}`)).status).toBe(204);
    expect((await lamb.call(teacher, 'GET', passage)).status).toBe(404);
    const { hits } = CollectionQueryReply.parse((await search(teacher, id, 'walnuts')).body);
    expect(hits.map(({ document_id }) => document_id)).toEqual([kept.id]);
    expect((await lamb.call(teacher, 'GET', path)).body).toMatchObject({ items: [{ id: kept.id }], next_cursor: null });
    expect((await lamb.call(teacher, 'DELETE', `${path}/${gone.id}`)).status).toBe(404);
  });

  test('of one collection are not reached through another', async () => {
    const [mine, other] = [await makeCollection(), await makeCollection()];
    const document = await addDocument(lamb, teacher, mine.id, 'a.md', 'Words.');
    const path = `/lamb/v1/collections/${other.id}/documents/${document.id}`;
    for (const end of ['', '/content', '/chunks', '/passage?start=0&end=1']) {
      expect((await lamb.call(teacher, 'GET', path + end)).status, end).toBe(404);
    }
    expect((await lamb.call(teacher, 'DELETE', path)).status).toBe(404);
  });

  test('are taken from the web, and not from anywhere else', async () => {
    const { id } = await makeCollection();
    const path = `/lamb/v1/collections/${id}/documents/url`;
    const added = await lamb.call(teacher, 'POST', path, { url: pages.page.url });
    expect(added.status, added.text).toBe(201);
    expect(added.body).toMatchObject({ duplicate: false, document: { source_url: pages.page.url } });
    await waitUntilReady(lamb, teacher, DocumentAdded.parse(added.body).document);
    const { hits } = CollectionQueryReply.parse((await search(teacher, id, 'tides moon')).body);
    expect(hits[0]?.text).toContain(pages.page.sentence);
    expect(hits[0]?.source_url).toBe(pages.page.url);
    for (const url of ['http://169.254.169.254/latest', 'http://127.0.0.1:1/', 'file:///etc/passwd']) {
      const refused = await lamb.call(teacher, 'POST', path, { url });
      expect(refused.status, url).toBe(400);
    }
  });

  test('that are too large are refused, and those before them are kept', async () => {
    const limited = await makeCollection();
    const huge = new Uint8Array(lamb.services.config.maxUploadBytes + 1).fill(97);
    const reply = await uploadDocuments(lamb, teacher, limited.id, { 'a.txt': 'small', 'b.txt': huge });
    expect(reply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    const list = await lamb.call(teacher, 'GET', `/lamb/v1/collections/${limited.id}/documents`);
    expect(list.body).toMatchObject({ items: [{ filename: 'a.txt' }] });
  });

  test('are not uploaded as anything but a form with files', async () => {
    const { id } = await makeCollection();
    const path = `/lamb/v1/collections/${id}/documents`;
    expect((await lamb.call(teacher, 'POST', path, {})).status).toBe(415);
    const form = new FormData();
    form.append('note', 'no file');
    const headers = { authorization: `Bearer ${teacher.key}` };
    expect(await send(lamb, 'POST', path, { headers, body: form })).toMatchObject({ status: 400 });
  });
});

describe('sharing', () => {
  test('lets a colleague search and read, not change; taken back, it is over at once', async () => {
    const { id } = await makeCollection();
    const document = await addDocument(lamb, teacher, id, 'secret.md', 'The combination is twelve.');
    const found = CollectionQueryReply.parse((await search(teacher, id, 'combination')).body);
    const url = found.hits[0]?.url ?? '';
    expect((await search(colleague, id, 'combination')).status).toBe(404);
    expect((await share(id, colleague.email)).body).toEqual({ emails: [colleague.email] });

    expect((await search(colleague, id, 'combination')).body).toMatchObject({ hits: [{ document_id: document.id }] });
    expect((await lamb.call(colleague, 'GET', url)).status).toBe(200);
    const seen = await lamb.call(colleague, 'GET', `/lamb/v1/collections/${id}`);
    expect(seen.body).toMatchObject({ is_own: false, owner: teacher.email });
    const path = `/lamb/v1/collections/${id}`;
    expect((await lamb.call(colleague, 'PATCH', path, { name: 'Mine' })).status).toBe(403);
    expect((await lamb.call(colleague, 'DELETE', path)).status).toBe(403);
    expect((await lamb.call(colleague, 'GET', `${path}/shares`)).status).toBe(403);
    expect((await lamb.call(colleague, 'DELETE', `${path}/documents/${document.id}`)).status).toBe(403);
    expect((await uploadDocuments(lamb, colleague, id, { 'a.md': 'a' })).status).toBe(403);
    const shared = await lamb.call(colleague, 'GET', '/lamb/v1/collections?scope=shared&limit=100');
    expect(CollectionPage.parse(shared.body).items.map((each) => each.id)).toContain(id);

    await share(id);
    expect((await search(colleague, id, 'combination')).status).toBe(404);
    expect((await lamb.call(colleague, 'GET', url)).status).toBe(404);
    expect((await lamb.call(colleague, 'GET', path)).status).toBe(404);
  });

  test('takes effect in a search that is under way when it is taken back', async () => {
    const { id } = await makeCollection();
    await addDocument(lamb, teacher, id, 'secret.md', 'The combination is twelve.');
    await share(id, colleague.email);
    lamb.llm.reset();
    const { promise: after, resolve: release } = Promise.withResolvers<undefined>();
    lamb.llm.script({ when: { path: '/v1/embeddings' }, after });
    const asked = search(colleague, id, `combination ${randomUUID()}`);
    await expect.poll(() => lamb.llm.requests.length, { timeout: 10_000 }).toBe(1);
    await share(id);
    release(undefined);
    const reply = await asked;
    expect(reply.text).not.toContain('twelve');
    expect(reply.status).toBe(404);
  });

  test('with the organisation is for its creators, and for nobody else', async () => {
    const { id } = await makeCollection({ visibility: 'organization' });
    await addDocument(lamb, teacher, id, 'open.md', 'Everybody knows this.');
    expect((await search(colleague, id, 'everybody')).body).toMatchObject({ hits: [{ filename: 'open.md' }] });
    expect((await search(lamb.north.student, id, 'everybody')).status).toBe(403);
    expect((await search(lamb.south.teacher, id, 'everybody')).status).toBe(404);
  });
});

describe('a search', () => {
  test('says how long the provider was waited for, and how long everything else took', async () => {
    const { id } = await makeCollection();
    const { db } = lamb.services;
    const { promise: isLocked, resolve: lock } = Promise.withResolvers<undefined>();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    // Nobody can look up the collection, which is before the provider is asked.
    const holding = db.transaction().execute(async (tx) => {
      await sql`lock table lamb.collections in access exclusive mode`.execute(tx);
      lock(undefined);
      await isReleased;
    });
    await isLocked;
    const startedAt = performance.now();
    const asked = search(teacher, id, `how long ${randomUUID()}`);
    await expect.poll(() => performance.now() - startedAt, { timeout: 10_000 }).toBeGreaterThan(500);
    expect(lamb.llm.requests).toEqual([]);
    release(undefined);
    await holding;
    const { milliseconds } = CollectionQueryReply.parse((await asked).body);
    const total = performance.now() - startedAt;
    expect(milliseconds.embedding).toBeGreaterThan(0);
    expect(milliseconds.search).toBeGreaterThan(400);
    expect(milliseconds.embedding + milliseconds.search).toBeLessThan(total);
  });

  test('goes over several collections, or over none when one of them is not ours', async () => {
    const [one, two, foreign] = [
      await makeCollection(),
      await makeCollection({ language: 'spanish', embedding: { ...small, dimensions: 32 } }),
      await makeCollection({}, lamb.south.teacher),
    ];
    await addDocument(lamb, teacher, one.id, 'a.md', 'Bees make honey.');
    await addDocument(lamb, teacher, two.id, 'b.md', 'Honey is sweet.');
    const body = { query: 'honey', collections: [one.id, two.id] };
    const reply = await lamb.call(teacher, 'POST', '/lamb/v1/collections/query', body);
    const { hits } = CollectionQueryReply.parse(reply.body);
    expect(hits.map(({ filename }) => filename).sort()).toEqual(['a.md', 'b.md']);
    for (const id of [foreign.id, 999_999_999]) {
      const none = await lamb.call(teacher, 'POST', '/lamb/v1/collections/query', {
        query: 'honey',
        collections: [one.id, id],
      });
      expect(none).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  test('by words alone asks no provider', async () => {
    const { id } = await makeCollection();
    await addDocument(lamb, teacher, id, 'a.md', 'Bees make honey.');
    lamb.llm.reset();
    const reply = await search(teacher, id, 'honey', { mode: 'lexical' });
    expect(reply.body).toMatchObject({ hits: [{ similarity: null, lexical_rank: 1, dense_rank: null }] });
    expect(lamb.llm.requests).toEqual([]);
  });

  test('says so when the provider fails', async () => {
    const { id } = await makeCollection();
    await addDocument(lamb, teacher, id, 'a.md', 'Bees make honey.');
    lamb.llm.script({ when: { path: '/v1/embeddings' }, faults: { status: 401 } });
    const reply = await search(teacher, id, randomUUID());
    expect(reply).toMatchObject({ status: 502, body: { code: 'provider_credentials_rejected' } });
  });
});

describe('reading in', () => {
  test('is tried again where it failed, and says why it did', async () => {
    const { id } = await makeCollection();
    const broken = '%PDF-1.7\n\u0000\u0001 and no more';
    const { items } = DocumentsAdded.parse((await uploadDocuments(lamb, teacher, id, { 'broken.pdf': broken })).body);
    const path = `/lamb/v1/collections/${id}/documents/${items[0]?.document.id ?? ''}`;
    const failed = async () => {
      const { body } = await lamb.call(teacher, 'GET', path);
      expect(body).toMatchObject({ status: 'failed', problem: expect.any(String) as string });
    };
    await vi.waitFor(failed, { timeout: 20_000, interval: 50 });
    expect((await lamb.call(teacher, 'POST', `${path}/retry`)).body).toMatchObject({ problem: null });
    await vi.waitFor(failed, { timeout: 20_000, interval: 50 });
    const good = await addDocument(lamb, teacher, id, 'good.md', 'Words.');
    const again = await lamb.call(teacher, 'POST', `/lamb/v1/collections/${id}/documents/${good.id}/retry`);
    expect(again).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('is given up', async () => {
    const { id } = await makeCollection();
    lamb.llm.script({ when: { path: '/v1/embeddings' }, faults: { hangBeforeHeaders: true } });
    const { items } = DocumentsAdded.parse((await uploadDocuments(lamb, teacher, id, { 'a.md': 'Words.' })).body);
    const path = `/lamb/v1/collections/${id}/documents/${items[0]?.document.id ?? ''}`;
    await expect.poll(() => lamb.llm.requests.length, { timeout: 20_000 }).toBe(1);
    expect((await lamb.call(teacher, 'POST', `${path}/cancel`)).body).toMatchObject({ status: 'cancelled' });
    lamb.llm.reset();
    expect((await lamb.call(teacher, 'POST', `${path}/retry`)).status).toBe(200);
    for (const { document } of items) await waitUntilReady(lamb, teacher, document);
  });

  test('is done anew for the whole collection, with other settings and nothing uploaded again', async () => {
    const { id } = await makeCollection();
    const document = await addDocument(lamb, teacher, id, 'a.md', 'Horses galloped over the fields.');
    const before = CollectionQueryReply.parse((await search(teacher, id, 'galloped')).body).hits[0];
    const path = `/lamb/v1/collections/${id}`;
    const started = await lamb.call(teacher, 'POST', `${path}/reindex`, {
      language: 'english',
      chunking: { max_tokens: 100, overlap_tokens: 10 },
      embedding: { ...small, dimensions: 32 },
    });
    expect(started.status, started.text).toBe(202);
    await vi.waitFor(
      async () => {
        const { body } = await lamb.call(teacher, 'GET', path);
        expect(body).toMatchObject({
          reindexing: false,
          language: 'english',
          chunking: { max_tokens: 100, overlap_tokens: 10 },
          embedding: { dimensions: 32 },
        });
      },
      { timeout: 20_000, interval: 50 },
    );
    const { hits } = CollectionQueryReply.parse((await search(teacher, id, 'gallop')).body);
    expect(hits).toMatchObject([{ document_id: document.id, lexical_rank: 1 }]);
    expect((await lamb.call(teacher, 'GET', before?.url ?? '')).body).toMatchObject({
      text: expect.stringContaining('galloped') as string,
    });
  });

  test('anew tells how far it is, and its owner why it failed', async () => {
    const { id } = await makeCollection();
    await addDocument(lamb, teacher, id, 'a.md', 'Horses galloped over the fields.');
    const path = `/lamb/v1/collections/${id}`;
    const when = { path: '/v1/embeddings' };
    lamb.llm.script({ when, firstDelayMs: 1500 }, { when, faults: { status: 401 }, times: 'always' });
    const reindex = async (dimensions: number) => {
      const embedding = { ...small, dimensions };
      const reply = await lamb.call(teacher, 'POST', `${path}/reindex`, { embedding });
      expect(reply.status, reply.text).toBe(202);
    };
    const wait = async (expected: object) => {
      const look = async () => {
        expect((await lamb.call(teacher, 'GET', path)).body).toMatchObject(expected);
      };
      await vi.waitFor(look, { timeout: 20_000, interval: 50 });
    };
    await reindex(32);
    await wait({ reindexing: true, reindex_progress: { done: 0, total: 1 } });
    await wait({ reindexing: false, reindex_progress: null, reindex_problem: null, embedding: { dimensions: 32 } });
    await reindex(48);
    await wait({
      reindexing: false,
      reindex_problem: expect.stringContaining('key') as string,
      embedding: { dimensions: 32 },
    });
  });
});
