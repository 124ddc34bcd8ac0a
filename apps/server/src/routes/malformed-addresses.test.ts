import { CollectionResource, DocumentsAdded, ProblemBody } from '@lamb/contract';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadDocuments } from '../collections/__fixtures__/add-document.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { recordRoutes, type RecordedRoute } from './__fixtures__/record-routes.ts';
import { sampleBodies } from './__fixtures__/sample-bodies.ts';
import { sendRaw } from './__fixtures__/send-raw.ts';
import { send } from './__fixtures__/send.ts';

let lamb: TestServer;
let routes: RecordedRoute[];

beforeAll(async () => {
  const listRoutes = recordRoutes();
  lamb = await startTestServer();
  routes = listRoutes();
});
afterAll(async () => {
  await lamb.stop();
});

async function askAsAdmin(method: string, path: string, name = '') {
  const body = sampleBodies[name];
  return await send(lamb, method, path, {
    headers: {
      authorization: `Bearer ${lamb.north.admin.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Makes a collection with a document, and gives what puts them into an address. */
async function makeCollection(): Promise<(path: string) => string> {
  const { admin } = lamb.north;
  const embedding = { provider: 'openai', model: 'small', dimensions: 8 };
  const { body } = await lamb.call(admin, 'POST', '/lamb/v1/collections', { name: 'lists', embedding });
  const { id } = CollectionResource.parse(body);
  const added = await uploadDocuments(lamb, admin, id, { 'a.md': 'Words.' });
  const [document = ''] = DocumentsAdded.parse(added.body).items.map((item) => item.document.id);
  return (path) => path.replace(':id', String(id)).replace(':document_id', document);
}

const ids = [
  '1e3',
  '0x10',
  'NaN',
  'Infinity',
  '-1',
  '0',
  '00',
  '1.5',
  '%201',
  '+1',
  '1_000',
  '１',
  '१',
  '𝟙',
  '99999999999999999999',
  '9007199254740993',
  'null',
  'undefined',
  '[object%20Object]',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%2f..',
  '%252e%252e',
  '..%5c',
  '%00',
  '%ff',
  '%E0%A4%A',
  '%',
  "'%20or%201=1",
  '1;drop%20table',
  '__proto__',
  'constructor',
  `${randomUUID()}x`,
  randomUUID().replaceAll('-', ''),
  'a'.repeat(64),
  'a'.repeat(99),
  'a'.repeat(3000),
  '%F0%9F%90%91',
  '%E2%80%AE1',
];

describe('an id that cannot be one', () => {
  it.each(ids)('%s', async (id) => {
    const withId = routes.filter(({ path }) => path.startsWith('/lamb/') && path.includes('/:id'));
    expect(withId.length).toBeGreaterThanOrEqual(18);
    for (const { method, path, name } of withId) {
      const reply = await askAsAdmin(method, path.replace(':id', id).replace(':call_id', 'call_1'), name);
      expect([400, 404], `${name}: ${reply.status} ${reply.text}`).toContain(reply.status);
      expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(ProblemBody.parse(reply.body).title).not.toBe('The request could not be read.');
    }
    const query = await askAsAdmin('POST', `/lamb/v1/completions?assistant=${id}`, 'POST /lamb/v1/completions');
    expect([400, 404]).toContain(query.status);
  });

  it.each(['1e3', '0x3e8', '1000.0', '%201000', '+1000', '1_000', '１０００'])(
    'a number in another spelling is no id of an assistant: %s',
    async (id) => {
      const reply = await askAsAdmin('GET', `/lamb/v1/assistants/${id}`);
      expect(reply.status).toBe(400);
      expect(reply.body).toMatchObject({
        title: 'The request is not valid: “id”: An assistant’s id is a number, as the list of assistants shows it.',
      });
    },
  );

  it('steps in the address lead nowhere', async () => {
    for (const path of [
      '/lamb/v1/assistants/../../metrics',
      '/lamb/v1/files/%2e%2e/%2e%2e/me',
      '//lamb/v1/me',
      '/./v1',
    ]) {
      const { status } = await sendRaw(
        lamb,
        `GET ${path} HTTP/1.1\r\nhost: lamb\r\nconnection: close\r\nauthorization: Bearer ${lamb.north.admin.key}\r\n\r\n`,
      );
      expect([400, 404], path).toContain(status);
    }
  });

  it('an unknown tool is answered with the known ones', async () => {
    const reply = await askAsAdmin('GET', '/lamb/v1/completions/tools/__proto__');
    expect(reply.body).toMatchObject({
      title: expect.stringMatching(/^There is no tool “__proto__”. Known: .*simple_rag, rubric_rag, /),
    });
  });
});

describe('a query that cannot be one', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const uuid = randomUUID();
  const cursors = [
    'garbage',
    '%00',
    '%F0%9F%90%91',
    'null',
    'e30',
    'W10',
    'a'.repeat(1001),
    ...['updated', 'created', 'name', 'joined', 'id', 'ordinal', '__proto__'].flatMap((sort) => [
      encode([sort]),
      encode([sort, 1, 2]),
      encode([sort, null, null]),
      encode([sort, 'now()', '1']),
      encode([sort, '2026-01-01', uuid]),
      encode([sort, '2026-13-45T99:99:99.999Z', uuid]),
      encode([sort, '2026-02-30T00:00:00.000000Z', uuid]),
      encode([sort, '0000-00-00T00:00:00.000000Z', uuid]),
      encode([sort, '0000-01-01T00:00:00.000000Z', uuid]),
      encode([sort, '9999-12-31T23:59:59.999999Z', "' or 1=1"]),
      encode([sort, '2026-01-01T00:00:00.000Z', '1e3']),
      encode([sort, '2026-01-01T00:00:00.000Z', '99999999999999999999']),
      encode([sort, '', '-1']),
      encode([sort, 'a\u0000b', '1']),
    ]),
  ];

  it('as a cursor is refused, or reads as the end of the list', { timeout: 60_000 }, async () => {
    const lists = routes.filter(({ schema }) => JSON.stringify(schema.querystring ?? null).includes('cursor'));
    expect(lists.length).toBeGreaterThanOrEqual(5);
    const fill = await makeCollection();
    for (const path of lists.map((route) => fill(route.path))) {
      for (const cursor of cursors) {
        const reply = await askAsAdmin('GET', `${path}?cursor=${cursor}`);
        expect([200, 400], `${path} ${cursor}: ${reply.text}`).toContain(reply.status);
        if (reply.status === 400) expect(ProblemBody.parse(reply.body).title).toMatch(/cursor|U\+0000/);
      }
      const reply = await askAsAdmin('GET', `${path}?cursor=garbage`);
      expect(reply.body).toMatchObject({
        title: 'This cursor is not one of this list. Start again without a cursor.',
      });
    }
  });

  it.each(['-1', '0', '101', '1.5', 'abc', 'NaN', '1e99', '', '%00', '5&limit=6'])('as a limit: %s', async (limit) => {
    for (const path of ['/lamb/v1/assistants', '/lamb/v1/rubrics', '/lamb/v1/files']) {
      const reply = await askAsAdmin('GET', `${path}?limit=${limit}`);
      expect(reply.status, path).toBe(400);
      expect(ProblemBody.parse(reply.body)).toMatchObject({
        title: expect.stringMatching(/^The request is not valid: “limit”: /),
        details: { in: 'querystring', param: 'limit' },
      });
    }
  });

  it.each([
    'scope=everything',
    'sort=drop',
    'type=x',
    `search=${'a'.repeat(201)}`,
    'search=%00',
    'scope[]=mine&scope[]=x',
    'scope=mine&scope=shared',
  ])('as a filter: %s', async (query) => {
    const reply = await askAsAdmin('GET', `/lamb/v1/assistants?${query}`);
    expect(reply.status === 400 || query.startsWith('scope[]'), reply.text).toBe(true);
  });

  it.each(['from=-1', 'to=abc', 'from=1e99', 'assistant=0', 'assistant=x'])(
    'as a stretch of time: %s',
    async (query) => {
      const reply = await askAsAdmin('GET', `/lamb/v1/organizations/current/usage?${query}`);
      expect(reply.status).toBe(400);
    },
  );

  it('without an assistant says how to name one', async () => {
    const reply = await askAsAdmin('POST', '/lamb/v1/completions', 'POST /lamb/v1/completions');
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ title: 'Say which assistant: `?assistant={id}`.' });
  });
});

describe('a credential that is none', () => {
  const get = (authorization: string | Uint8Array) =>
    sendRaw(
      lamb,
      'GET /lamb/v1/me HTTP/1.1\r\nhost: lamb\r\nconnection: close\r\nauthorization: ',
      authorization,
      '\r\n\r\n',
    );

  it.each([
    ['SQL', "Bearer ' or '1'='1"],
    ['SQL without blanks', "Bearer lamb_';drop/**/table/**/auth.apikey;--"],
    ['no key', 'Bearer'],
    ['an empty key', 'Bearer '],
    ['two keys', 'Bearer lamb_a lamb_b'],
    ['another scheme', 'Basic YTpi'],
    ['no scheme', 'lamb_abc'],
    ['an unknown key', 'Bearer lamb_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a long key', `Bearer ${'a'.repeat(8000)}`],
    ['null', 'Bearer null'],
  ])('%s', async (_what, authorization) => {
    const { status, text } = await get(authorization);
    expect(status).toBe(401);
    expect(JSON.parse(text)).toMatchObject({
      code: 'unauthenticated',
      next: 'Sign in, or send an API key as `Authorization: Bearer <key>`.',
    });
  });

  it('bytes that are no UTF-8', async () => {
    const { status } = await get(new Uint8Array([0x42, 0x65, 0x61, 0x72, 0x65, 0x72, 0x20, 0xff, 0xfe, 0xc3, 0x28]));
    expect(status).toBe(401);
  });

  it('64 KB do not even reach us: the HTTP parser refuses headers of more than 16 KB', async () => {
    expect((await get(`Bearer ${'a'.repeat(64 * 1024)}`)).status).toBe(431);
  });

  it.each(['Bearer a\nx: y', 'Bearer a\rx: y', 'Bearer a\0b'])('a header line with a break in it: %j', async (line) => {
    expect((await get(line)).status).toBe(400);
  });

  it('several Authorization headers count as their first', async () => {
    const { status } = await get('Bearer nonsense\r\nauthorization: Bearer other');
    expect(status).toBe(401);
  });

  it.each([
    'better-auth.session_token=',
    'better-auth.session_token=a.b',
    'better-auth.session_token=%00%ff',
    'better-auth.session_token=%',
    `better-auth.session_token=${'a'.repeat(8000)}`,
    ';;;===',
  ])('the cookie %s', async (cookie) => {
    const reply = await send(lamb, 'GET', '/lamb/v1/me', { headers: { cookie } });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('in OpenAI’s format where OpenAI’s clients ask', async () => {
    const reply = await send(lamb, 'GET', '/v1/models', { headers: { authorization: 'Bearer nonsense' } });
    expect(reply.status).toBe(401);
    expect(reply.body).toMatchObject({
      error: { code: 'unauthenticated', message: expect.stringContaining('This API key is not known') },
    });
  });
});
