import { OpenAiErrorBody, ProblemBody } from '@lamb/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../auth/__fixtures__/open-doors.ts';
import { startTestServer, type Reply, type TestServer } from '../test-server/start-test-server.ts';
import { recordRoutes, type RecordedRoute } from './__fixtures__/record-routes.ts';
import { sampleBodies, sampleRubric } from './__fixtures__/sample-bodies.ts';
import { sendRaw } from './__fixtures__/send-raw.ts';
import { send } from './__fixtures__/send.ts';

const json = 'application/json';
const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);

/** What is sent, and what the answer must say. */
const bodies: readonly { what: string; type?: string; body?: string; status: number; says: RegExp }[] = [
  { what: 'nothing', status: 400, says: /the body must be a JSON object/ },
  { what: 'nothing, announced as JSON', type: json, body: '', status: 400, says: /the body must be a JSON object/ },
  { what: 'null', type: json, body: 'null', status: 400, says: /the body must be a JSON object/ },
  { what: 'an array', type: json, body: '[]', status: 400, says: /the body must be a JSON object/ },
  { what: 'a number', type: json, body: '7', status: 400, says: /the body must be a JSON object/ },
  { what: 'a string', type: json, body: '"text"', status: 400, says: /the body must be a JSON object/ },
  { what: 'true', type: json, body: 'true', status: 400, says: /the body must be a JSON object/ },
  { what: 'plain text', type: 'text/plain', body: '{}', status: 415, says: /content type is not accepted/ },
  { what: 'a form', type: 'application/x-www-form-urlencoded', body: 'a=1', status: 415, says: /content type/ },
  { what: 'XML', type: 'application/xml', body: '<a/>', status: 415, says: /content type is not accepted/ },
  { what: 'an unknown type', type: 'nonsense', body: '{}', status: 415, says: /content type is not accepted/ },
  { what: 'half of JSON', type: json, body: '{"name":', status: 400, says: /not valid JSON: Unexpected end/ },
  { what: 'no JSON', type: json, body: '{name: 1}', status: 400, says: /not valid JSON: .*line 1 column 2/ },
  { what: 'JSON and more', type: json, body: '{}{}', status: 400, says: /not valid JSON: / },
  { what: 'deep arrays', type: json, body: `{"a":${deep('[', ']')}}`, status: 400, says: /more than 100 levels deep/ },
  { what: 'deep objects', type: json, body: deep('{"a":', '1}').replace(/1}/g, '}'), status: 400, says: /levels deep/ },
  { what: 'endless arrays', type: json, body: '['.repeat(100_000), status: 400, says: /more than 100 levels deep/ },
  { what: '__proto__', type: json, body: '{"__proto__":{"a":1}}', status: 400, says: /not allowed: “__proto__”/ },
  { what: 'escaped __proto__', type: json, body: '{"\\u005f_proto__":{"a":1}}', status: 400, says: /“__proto__”/ },
  { what: 'nested __proto__', type: json, body: '{"a":[{"__proto__":1}]}', status: 400, says: /“__proto__”/ },
  {
    what: 'constructor.prototype',
    type: json,
    body: '{"constructor":{"prototype":{"a":1}}}',
    status: 400,
    says: /“prototype” in “constructor”/,
  },
];

let lamb: TestServer;
let routes: RecordedRoute[];
let session: Readonly<Record<string, string>>;

beforeAll(async () => {
  const listRoutes = recordRoutes();
  lamb = await startTestServer();
  routes = listRoutes();
  session = (await signIn(lamb, lamb.north.admin)).headers;
});
afterEach(async () => {
  expect((await send(lamb, 'GET', '/health/live')).status, 'the process is alive').toBe(200);
  expect((await lamb.call(lamb.north.teacher, 'GET', '/lamb/v1/me')).status, 'and answers').toBe(200);
});
afterAll(async () => {
  await lamb.stop();
});

const asAdmin = (headers: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${lamb.north.admin.key}`,
  ...headers,
});

/** Checks that a refusal is in the format of its API, and gives what it says to a person. */
function readRefusal(
  path: string,
  reply: Pick<Reply, 'status' | 'headers' | 'body'>,
): { code: string; message: string } {
  expect(reply.status, path).toBeGreaterThanOrEqual(400);
  expect(reply.status, path).toBeLessThan(500);
  if (path.startsWith('/v1/')) {
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    const { error } = OpenAiErrorBody.parse(reply.body);
    return { code: error.code, message: error.message };
  }
  expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = ProblemBody.parse(reply.body);
  expect(problem.status).toBe(reply.status);
  return { code: problem.code, message: problem.title };
}

/** Where a key opens nothing, the same person comes with a session. */
const asAdminFor = ({ access }: RecordedRoute, headers: Readonly<Record<string, string>> = {}) =>
  access === 'signed_in' ? { ...session, ...headers } : asAdmin(headers);

const listRoutesWithBody = () => routes.filter(({ name }) => name in sampleBodies);
const fillPath = (path: string) =>
  path.replace(':id', '1').replace(':call_id', 'call_1').replace(':name', 'simple_rag');

describe('a body that is no JSON object', () => {
  it.each(bodies)('$what → $status', async ({ type, body, status, says }) => {
    const checked = await Promise.all(
      listRoutesWithBody().map(async (route) => {
        const { method, path, name } = route;
        const reply = await send(lamb, method, fillPath(path), {
          headers: asAdminFor(route, type === undefined ? {} : { 'content-type': type }),
          ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
        });
        // The older knowledge-base server says 422 to what is not valid.
        expect(reply.status, name).toBe(status === 400 && path.startsWith('/collections') ? 422 : status);
        expect(readRefusal(path, reply).message, name).toMatch(says);
        return name;
      }),
    );
    expect(checked.length).toBeGreaterThanOrEqual(12);
  });

  it('whose length is too large is refused before it is sent', async () => {
    for (const route of listRoutesWithBody()) {
      const { method, path } = route;
      const head = [
        `${method} ${fillPath(path)} HTTP/1.1`,
        'host: lamb',
        ...Object.entries(asAdminFor(route)).map(([name, value]) => `${name}: ${value}`),
        'content-type: application/json',
        'content-length: 20000001',
      ].join('\r\n');
      const { status, text } = await sendRaw(lamb, `${head}\r\n\r\n`);
      expect(status, path).toBe(413);
      expect(text).toContain('"payload_too_large"');
      expect(text).toContain('"limit":20000000');
    }
  });

  it('that turns out to be too large is refused while it is sent', async () => {
    const head = `POST /lamb/v1/assistants HTTP/1.1\r\nhost: lamb\r\nauthorization: Bearer ${lamb.north.admin.key}\r\n`;
    const chunk = `100000\r\n${'a'.repeat(0x100000)}\r\n`;
    const { status } = await sendRaw(
      lamb,
      `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
      ...Array.from({ length: 25 }, () => chunk),
    );
    expect(status).toBe(413);
  });

  it('is no hindrance where no body is wanted', async () => {
    const created = await lamb.call(lamb.north.teacher, 'POST', '/lamb/v1/assistants', { name: 'no body wanted' });
    const { id } = created.body as { id: number };
    const headers = { authorization: `Bearer ${lamb.north.teacher.key}`, 'content-type': json };
    const path = `/lamb/v1/assistants/${id}`;
    expect((await send(lamb, 'POST', `${path}/duplicate`, { headers })).status).toBe(201);
    expect((await send(lamb, 'PUT', `${path}/publication`, { headers })).status).toBe(204);
    expect((await send(lamb, 'DELETE', path, { headers })).status).toBe(204);
  });
});

describe('a body with the wrong fields', () => {
  it('names every field that is wrong, with its path', async () => {
    const reply = await lamb.call(lamb.north.teacher, 'POST', '/lamb/v1/rubrics', {
      rubric: { title: '', criteria: [{ id: 'c1', name: 'Clarity', weight: 101, levels: [] }] },
      is_public: 'yes',
    });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      code: 'invalid_request',
      title: expect.stringMatching(/^The request is not valid: “rubric\./),
      next: expect.stringContaining('`details` names them'),
      details: {
        in: 'body',
        problems: expect.arrayContaining([
          { path: 'rubric.title', message: expect.any(String) },
          { path: 'rubric.criteria.0.weight', message: expect.any(String) },
          { path: 'rubric.criteria.0.levels', message: 'A criterion needs at least 2 levels' },
          { path: 'is_public', message: 'expected boolean, received string' },
        ]),
      },
    });
  });

  it('names the field in OpenAI’s way', async () => {
    const reply = await lamb.call(lamb.north.teacher, 'POST', '/v1/chat/completions', { model: 'x', messages: [] });
    expect(reply.body).toMatchObject({
      error: {
        type: 'invalid_request_error',
        code: 'invalid_request',
        param: 'messages',
        message: expect.stringMatching(/^The request is not valid: “messages”: Send at least one message\./),
      },
    });
    const empty = await lamb.call(lamb.north.teacher, 'POST', '/v1/chat/completions', []);
    expect(empty.body).toMatchObject({ error: { param: null } });
  });

  it.each([
    ['U+0000', 'a\u0000b', /U\+0000/],
    ['half of a character', 'a\ud800b', /half of a character/],
  ])('text that cannot be stored is refused: %s', async (_what, title, says) => {
    const reply = await lamb.call(lamb.north.teacher, 'POST', '/lamb/v1/rubrics', {
      rubric: { ...sampleRubric, title },
    });
    expect(reply.status).toBe(400);
    expect(readRefusal('/lamb/v1/rubrics', reply).message).toMatch(says);
  });

  it('metadata in a string is held to the same depth', async () => {
    const metadata = `{"a":${deep('[', ']')}}`;
    const body = { name: 'Deep', system_prompt: '', metadata };
    for (const path of ['/lamb/v1/assistants', '/lamb/v1/assistants/import']) {
      const reply = await lamb.call(lamb.north.teacher, 'POST', path, body);
      expect(reply.status).toBe(422);
      expect(reply.body).toMatchObject({
        code: 'assistant_invalid',
        title: expect.stringContaining('The metadata is nested too deeply.'),
      });
    }
  });
});

describe('an upload that is none', () => {
  const multipart = 'multipart/form-data; boundary=x';
  it.each([
    { what: 'JSON', type: json, body: '{}', status: 415, says: /Send the file as multipart\/form-data/ },
    { what: 'nothing', type: undefined, body: undefined, status: 415, says: /Send the file as multipart/ },
    { what: 'no boundary', type: 'multipart/form-data', body: 'x', status: 400, says: /not complete/ },
    { what: 'half a boundary', type: multipart, body: '--x', status: 400, says: /not complete/ },
    { what: 'no parts', type: multipart, body: '--x--\r\n', status: 400, says: /has no field `file`/ },
    {
      what: 'no file',
      type: multipart,
      body: '--x\r\ncontent-disposition: form-data; name="path"\r\n\r\na.md\r\n--x--\r\n',
      status: 400,
      says: /has no field `file`/,
    },
    {
      what: 'half a file',
      type: multipart,
      body: '--x\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\nabc',
      status: 400,
      says: /not complete/,
    },
    {
      what: '__proto__ as a field',
      type: multipart,
      body: '--x\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\na\r\n--x--\r\n',
      status: 400,
      says: /could not be read/,
    },
    {
      what: 'many fields',
      type: multipart,
      body: `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\na\r\n'.repeat(50)}--x--\r\n`,
      status: 413,
      says: /too large/,
    },
  ])('$what → $status', async ({ type, body, status, says }) => {
    const reply = await send(lamb, 'POST', '/lamb/v1/files', {
      headers: asAdmin(type === undefined ? {} : { 'content-type': type }),
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
    });
    expect(reply.text).toMatch(says);
    expect(reply.status).toBe(status);
    readRefusal('/lamb/v1/files', reply);
  });
});

describe('the sign-in routes', () => {
  it('take the same and refuse it', async () => {
    const { headers } = await signIn(lamb, lamb.north.colleague);
    const posts = routes.filter(({ name }) => name.startsWith('POST /api/auth/') && !name.endsWith('/sign-out'));
    expect(posts.length).toBeGreaterThanOrEqual(5);
    const needNoBody = new Set(['/api/auth/revoke-other-sessions', '/api/auth/organization/set-active']);
    for (const { path } of posts) {
      for (const { what, type, body } of bodies) {
        const reply = await send(lamb, 'POST', path, {
          headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
          ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
        });
        expect(reply.status, `${path}: ${what}: ${reply.text}`).toBeLessThan(500);
        if (!needNoBody.has(path)) expect(reply.status, `${path}: ${what}: ${reply.text}`).toBeGreaterThanOrEqual(400);
      }
      const huge = await send(lamb, 'POST', path, {
        headers: { ...headers, 'content-type': json },
        body: JSON.stringify({ email: 'a'.repeat(200_000) }),
      });
      expect(huge.status).toBe(413);
    }
  });
});
