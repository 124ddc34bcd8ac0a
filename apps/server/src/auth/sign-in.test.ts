import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRoutes, type RecordedRoute } from '../routes/__fixtures__/record-routes.ts';
import { sampleBodies } from '../routes/__fixtures__/sample-bodies.ts';
import { send } from '../routes/__fixtures__/send.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { signIn } from './__fixtures__/open-doors.ts';

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

const json = { 'content-type': 'application/json' };
const post = (path: string, headers: Record<string, string>, body: unknown = {}) =>
  send(lamb, 'POST', path, { headers: { ...json, ...headers }, body: JSON.stringify(body) });
const me = (headers: Record<string, string>) => send(lamb, 'GET', '/lamb/v1/me', { headers });

describe('with e-mail and password', () => {
  it('opens a session, which is a door like a key', async () => {
    const { teacher } = lamb.north;
    const { reply, headers } = await signIn(lamb, teacher);
    expect(reply.status).toBe(200);
    const seen = await me(headers);
    expect(seen.body).toMatchObject({
      user_id: teacher.id,
      email: teacher.email,
      role: 'member',
      organization_id: lamb.north.id,
      via: 'session',
    });
    const created = await post('/lamb/v1/assistants', headers, { name: 'Made in a session' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ owner: teacher.email });
    const session = await send(lamb, 'GET', '/api/auth/get-session', { headers });
    expect(session.body).toMatchObject({ user: { email: teacher.email, kind: 'creator' } });
  });

  it('takes the e-mail address however it is capitalised', async () => {
    const { password, email } = lamb.north.student;
    expect((await signIn(lamb, { email: email.toUpperCase(), password })).reply.status).toBe(200);
  });

  it('sets a cookie that scripts cannot read and other sites do not send', async () => {
    const { reply } = await signIn(lamb, lamb.north.teacher);
    const cookies = reply.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; HttpOnly/i);
      expect(cookie).toMatch(/; SameSite=Lax/i);
      expect(cookie).toMatch(/; Path=\//i);
    }
  });

  it('starts a new session each time, whatever cookie the browser came with', async () => {
    const first = await signIn(lamb, lamb.north.colleague);
    const { email, password } = lamb.north.colleague;
    const fixed = { ...first.headers, cookie: 'better-auth.session_token=chosen-by-somebody-else.signature' };
    const second = await post('/api/auth/sign-in/email', fixed, { email, password });
    const cookie = second.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect(cookie).not.toContain('chosen-by-somebody-else');
    expect(cookie).not.toBe(first.headers.cookie);
    expect((await me({ cookie })).status).toBe(200);
  });

  it.each([
    ['a wrong password', 'teacher@north.test', 'wrong horse battery'],
    ['an unknown address', 'nobody@north.test', 'correct horse battery'],
    ['a password of somebody else', 'teacher@north.test', 'correct horse batterz'],
  ])('refuses %s, all in the same words', async (_what, email, password) => {
    const { reply } = await signIn(lamb, { email, password });
    expect(reply.status).toBe(401);
    expect(reply.headers.getSetCookie()).toEqual([]);
    expect(reply.body).toEqual({ code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' });
  });

  it('keeps only a hash of the password', async () => {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from auth.account t union all select to_jsonb(t)::text from auth.user t
    `.execute(lamb.services.db);
    expect(rows.length).toBeGreaterThan(8);
    expect(rows.filter(({ row }) => row.includes('correct horse battery'))).toEqual([]);
  });

  it('ends with signing out, at once', async () => {
    const { headers } = await signIn(lamb, lamb.north.teacher);
    expect((await me(headers)).status).toBe(200);
    expect((await post('/api/auth/sign-out', headers)).status).toBe(200);
    expect((await me(headers)).status).toBe(401);
  });

  it('can be ended from another session', async () => {
    const lost = await signIn(lamb, lamb.north.student);
    const kept = await signIn(lamb, lamb.north.student);
    expect((await post('/api/auth/revoke-other-sessions', kept.headers)).status).toBe(200);
    expect((await me(lost.headers)).status).toBe(401);
    expect((await me(kept.headers)).status).toBe(200);
  });

  it('does not end somebody else’s session', async () => {
    const victim = await signIn(lamb, lamb.south.teacher);
    const { session } = (await send(lamb, 'GET', '/api/auth/get-session', victim)).body as {
      session: { token: string };
    };
    const { headers } = await signIn(lamb, lamb.north.admin);
    await post('/api/auth/revoke-session', headers, { token: session.token });
    expect((await me(victim.headers)).status).toBe(200);
  });

  it('with a new password closes the old one', async () => {
    const { email, password } = lamb.south.colleague;
    const { headers } = await signIn(lamb, { email, password });
    const wrong = await post('/api/auth/change-password', headers, {
      currentPassword: 'x',
      newPassword: 'y'.repeat(12),
    });
    expect(wrong.status).toBe(400);
    const short = await post('/api/auth/change-password', headers, { currentPassword: password, newPassword: 'short' });
    expect(short.status).toBe(400);
    const newPassword = 'another horse battery';
    const changed = await post('/api/auth/change-password', headers, { currentPassword: password, newPassword });
    expect(changed.status).toBe(200);
    expect((await signIn(lamb, { email, password })).reply.status).toBe(401);
    expect((await signIn(lamb, { email, password: newPassword })).reply.status).toBe(200);
  });
});

describe('guessing passwords', () => {
  it('is stopped, with when to try again, whatever address the request claims to come from', async () => {
    const { email } = lamb.south.student;
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        post(
          '/api/auth/sign-in/email',
          { origin: lamb.services.config.publicUrl, 'x-forwarded-for': `10.0.0.${index}` },
          { email, password: `guess number ${index}` },
        ),
      ),
    );
    const refused = replies.find(({ status }) => status === 429);
    if (!refused) throw new Error('Nothing was refused.');
    expect(replies.filter(({ status }) => status === 401).length).toBeLessThan(25);
    expect(refused.body).toMatchObject({
      code: 'rate_limited',
      title: 'There were too many attempts to sign in.',
      next: 'Wait for the time given in `Retry-After`.',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await signIn(lamb, lamb.south.admin)).reply.status, 'others are not concerned').toBe(200);
    const { rows } = await sql<{ ip: string }>`select distinct "ipAddress" as ip from auth.session`.execute(
      lamb.services.db,
    );
    expect(rows).toEqual([{ ip: '127.0.0.1' }]);
  });
});

describe('better-auth’s other routes', () => {
  it('are all closed, also to an administrator', async () => {
    const endpoints = Object.values(lamb.services.auth.api) as { path?: string; options?: { method?: unknown } }[];
    const offered = endpoints.flatMap(({ path, options }) =>
      path === undefined ? [] : [options?.method].flat().map((method) => `${String(method)} /api/auth${path}`),
    );
    const open = new Set(routes.map(({ name }) => name));
    const closed = offered.filter((name) => !open.has(name));
    expect(offered.length - closed.length).toBe(11);
    expect(closed).toEqual(
      expect.arrayContaining([
        'POST /api/auth/sign-up/email',
        'POST /api/auth/api-key/create',
        'POST /api/auth/api-key/delete',
        'GET /api/auth/api-key/list',
        'POST /api/auth/organization/create',
        'GET /api/auth/organization/list-members',
        'GET /api/auth/organization/get-full-organization',
        'POST /api/auth/organization/update-member-role',
        'POST /api/auth/admin/create-user',
        'POST /api/auth/admin/impersonate-user',
        'POST /api/auth/update-user',
      ]),
    );
    await lamb.services.db
      .updateTable('auth.user')
      .set({ role: 'admin' })
      .where('id', '=', lamb.north.admin.id)
      .execute();
    const { headers } = await signIn(lamb, lamb.north.admin);
    for (const name of closed) {
      const [method = '', path = ''] = name.split(' ');
      const reply = method === 'GET' ? await send(lamb, method, path, { headers }) : await post(path, headers);
      expect(reply.status, name).toBe(404);
      expect(reply.body, name).toMatchObject({ code: 'not_found', title: expect.stringContaining(path) });
    }
  });

  it.each([
    '/api/auth/sign-up/email/',
    '/api/auth//sign-up/email',
    '/api/auth/%73ign-up/email',
    '/api/auth/SIGN-UP/email',
  ])('stay closed under another spelling: %s', async (path) => {
    const { headers } = await signIn(lamb, lamb.north.admin);
    const body = { email: 'new@north.test', password: 'correct horse battery', name: 'New' };
    expect((await post(path, headers, body)).status).toBe(404);
    const { rows } = await sql`select from auth.user where email = 'new@north.test'`.execute(lamb.services.db);
    expect(rows).toEqual([]);
  });

  it('take no address from the request line of a proxy', async () => {
    const { headers } = await signIn(lamb, lamb.north.teacher);
    const reply = await send(lamb, 'GET', '/api/auth/get-session?x=http://evil.example/', {
      headers: { ...headers, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain('evil.example');
  });
});

describe('a page of another site', () => {
  it('cannot act with somebody’s cookie, on any route that changes something', async () => {
    const { headers } = await signIn(lamb, lamb.north.admin);
    const unsafe = routes.filter(
      ({ method, access }) => method !== 'GET' && access !== 'public' && access !== 'operator',
    );
    expect(unsafe.length).toBeGreaterThanOrEqual(20);
    const { origin, cookie } = headers;
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${origin}.evil.example` },
      { origin: `${origin}:8080` },
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { referer: `${origin}/` },
    ];
    for (const { method, path, name } of unsafe) {
      for (const other of foreign) {
        const body = sampleBodies[name];
        const reply = await send(lamb, method, path.replace(/:\w+/g, '1'), {
          headers: { cookie, ...other, ...(body === undefined ? {} : json) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        expect(reply.status, `${name} from ${JSON.stringify(other)}`).toBe(403);
        expect(reply.text).toContain('This request comes from another site.');
      }
    }
    const own = await post('/lamb/v1/assistants', { cookie, 'sec-fetch-site': 'same-origin' }, { name: 'Own page' });
    expect(own.status).toBe(201);
  });

  it('cannot sign anybody out, or act through better-auth', async () => {
    const { headers } = await signIn(lamb, lamb.north.teacher);
    const foreign = { cookie: headers.cookie, origin: 'https://evil.example' };
    for (const path of ['sign-out', 'revoke-other-sessions', 'change-password', 'organization/set-active']) {
      expect((await post(`/api/auth/${path}`, foreign)).status, path).toBe(403);
    }
    expect((await me(headers)).status).toBe(200);
  });

  it('reads nothing: no answer allows it', async () => {
    const { headers } = await signIn(lamb, lamb.north.teacher);
    const reply = await me({ ...headers, origin: 'https://evil.example' });
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    const preflight = await send(lamb, 'OPTIONS', '/lamb/v1/me', {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
    });
    expect(preflight.status).toBe(404);
  });

  it('is no matter for a key, which no browser sends by itself', async () => {
    const reply = await send(lamb, 'POST', '/lamb/v1/assistants', {
      headers: { ...json, authorization: `Bearer ${lamb.north.teacher.key}`, origin: 'https://evil.example' },
      body: JSON.stringify({ name: 'With a key' }),
    });
    expect(reply.status).toBe(201);
  });
});
