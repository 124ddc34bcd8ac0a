import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../auth/__fixtures__/open-doors.ts';
import { startTestServer, type Reply, type TestServer } from '../test-server/start-test-server.ts';
import { send } from './__fixtures__/send.ts';

let lamb: TestServer;
const origin = 'http://127.0.0.1';
const password = 'correct horse battery';
const KEY = 'canary-sign-up-key';
const current = '/lamb/v1/organizations/current';

beforeAll(async () => {
  lamb = await startTestServer({
    LAMB_OIDC_PROVIDERS: JSON.stringify([
      {
        id: 'campus',
        name: 'Campus login',
        discovery_url: 'https://id.campus.test/.well-known/openid-configuration',
        client_id: 'canary-client',
        client_secret: 'canary-secret',
        organization: 'north',
      },
    ]),
  });
});
afterAll(async () => {
  await lamb.stop();
});

const post = (path: string, body: unknown, headers: Record<string, string> = { origin }): Promise<Reply> =>
  send(lamb, 'POST', path, { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
const configure = (features: Record<string, unknown>) =>
  lamb.call(lamb.north.admin, 'PATCH', `${current}/config`, { features });
const signUp = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  post('/lamb/v1/sign-up', { organization: 'north', key: KEY, name: 'New Person', password, ...body }, headers);
const cookieOf = (reply: Reply) =>
  reply.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
const me = (cookie: string) => send(lamb, 'GET', '/lamb/v1/me', { headers: { cookie, origin } });
const invite = async (body: Record<string, unknown>) => {
  const reply = await lamb.call(lamb.north.admin, 'POST', `${current}/invitations`, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.body as { id: string; token: string; link: string };
};
const accept = (token: string, headers?: Record<string, string>) =>
  post('/lamb/v1/invitations/accept', { token, name: 'Invited', password }, headers);
const isMember = async (email: string) => {
  const { rows } = await sql`
    select from auth.user u join auth.member m on m."userId" = u.id
    where u.email = ${email} and m."organizationId" = ${lamb.north.id}`.execute(lamb.services.db);
  return rows.length > 0;
};

describe('the ways in', () => {
  it('are shown to anybody, and nothing that helps nobody but an attacker', async () => {
    const { text, body } = await send(lamb, 'GET', '/lamb/v1/sign-in-options');
    expect(body).toEqual({
      identity_providers: [{ id: 'campus', name: 'Campus login' }],
      sign_up: { open: false, organization: null },
      min_password_length: 10,
    });
    expect(text).not.toMatch(/canary|campus\.test|north/);
  });
});

describe('signing up with a key', () => {
  it('is closed until somebody opens it, in the same words as for a wrong key', async () => {
    const closed = await signUp({ email: 'early@north.test' });
    expect(closed.status).toBe(403);
    await configure({ signup_enabled: true, signup_key: KEY });
    const refusals = [
      await signUp({ email: 'early@north.test', key: 'guess' }),
      await signUp({ email: 'early@north.test', organization: 'nowhere' }),
      await signUp({ email: 'early@north.test', organization: 'south' }),
    ];
    for (const { status, body } of refusals) {
      expect(status).toBe(403);
      expect({ ...body, request_id: '' }).toEqual({ ...closed.body, request_id: '' });
    }
    expect(await isMember('early@north.test')).toBe(false);
  });

  it('makes an account and a session, with the role that the organisation says', async () => {
    expect((await send(lamb, 'GET', '/lamb/v1/sign-in-options')).body).toMatchObject({
      sign_up: { open: true, organization: 'north' },
    });
    const reply = await signUp({ email: 'creator@north.test' });
    expect(reply.status, reply.text).toBe(201);
    expect((await me(cookieOf(reply))).body).toMatchObject({
      email: 'creator@north.test',
      name: 'New Person',
      role: 'member',
      organization_id: lamb.north.id,
      has_password: true,
      features: { signup_enabled: true },
    });
    expect((await me(cookieOf(reply))).text).not.toContain(KEY);
    await configure({ signup_role: 'end_user' });
    const student = await signUp({ email: 'pupil@north.test' });
    expect((await me(cookieOf(student))).body).toMatchObject({ role: 'end_user' });
    const audit = await lamb.call(lamb.north.admin, 'GET', `${current}/audit?action=member.joined`);
    expect(audit.body).toMatchObject({
      items: [{ actor_email: 'pupil@north.test' }, { actor_email: 'creator@north.test' }],
    });
  });

  it('is no way to take what is somebody’s, or to be more than the key says', async () => {
    const taken = await signUp({ email: 'Teacher@north.test' });
    expect(taken.status).toBe(409);
    expect(taken.headers.getSetCookie()).toEqual([]);
    const sly = await signUp({ email: 'sly@north.test', role: 'owner', organization_id: lamb.south.id, enabled: true });
    expect((await me(cookieOf(sly))).body).toMatchObject({ role: 'end_user', organization_id: lamb.north.id });
    expect((await signUp({ email: 'short@north.test', password: 'short' })).status).toBe(400);
    expect((await signUp({ email: 'other@north.test' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect(await isMember('other@north.test')).toBe(false);
  });

  it('does not prove whose the e-mail address is', async () => {
    const { rows } = await sql`select from auth.user where email = 'creator@north.test' and "emailVerified"`.execute(
      lamb.services.db,
    );
    expect(rows).toEqual([]);
  });

  it('lets nobody try keys for long', async () => {
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, index) => signUp({ email: `g${String(index)}@north.test`, key: String(index) })),
    );
    expect(tries.filter(({ status }) => status === 429).length).toBeGreaterThan(3);
  });

  it('lets somebody who has an account join, and stay what they are where they are', async () => {
    const { headers } = await signIn(lamb, lamb.south.admin);
    const join = (key: string) => post('/lamb/v1/me/organizations', { organization: 'north', key }, headers);
    expect((await join('wrong')).status).toBe(403);
    expect((await join(KEY)).status).toBe(200);
    expect((await me(headers.cookie)).body).toMatchObject({ organization_id: lamb.north.id, role: 'end_user' });
    const back = await send(lamb, 'PUT', '/lamb/v1/me/organization', {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ organization_id: lamb.south.id }),
    });
    expect(back.status).toBe(200);
    expect((await me(headers.cookie)).body).toMatchObject({
      role: 'owner',
      organizations: [
        { id: lamb.south.id, role: 'owner', current: true },
        { id: lamb.north.id, role: 'end_user', current: false },
      ],
    });
    expect((await lamb.call(lamb.south.admin, 'GET', '/lamb/v1/me')).body).toMatchObject({
      organizations: [{ id: lamb.south.id }],
    });
  });
});

describe('an invitation', () => {
  it('is a link for one person, once', async () => {
    const { token, link } = await invite({ email: 'guest@else.test', role: 'admin' });
    expect(link).toBe(`${origin}/invitation#${token}`);
    expect((await post('/lamb/v1/invitations/look-up', { token })).body).toMatchObject({
      organization: 'north university',
      email: 'guest@else.test',
      role: 'admin',
    });
    const both = await Promise.all([accept(token), accept(token)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 404]);
    const cookie = both.map(cookieOf).find((each) => each !== '') ?? '';
    expect((await me(cookie)).body).toMatchObject({ email: 'guest@else.test', role: 'admin' });
    expect((await accept(token)).status, 'used').toBe(404);
    expect((await post('/lamb/v1/invitations/look-up', { token })).status).toBe(404);
  });

  it('says the same of every token that opens nothing', async () => {
    const expired = await invite({ email: 'late@else.test' });
    const revoked = await invite({ email: 'unwanted@else.test' });
    const replaced = await invite({ email: 'twice@else.test' });
    await invite({ email: 'Twice@else.test' });
    await lamb.services.db.connection().execute(async (connection) => {
      await sql`select set_config('app.org_id', ${lamb.north.id}, false)`.execute(connection);
      await sql`update lamb.invitations set expires_at = now() - interval '1 second' where id = ${expired.id}`.execute(
        connection,
      );
      await sql`select set_config('app.org_id', '', false)`.execute(connection);
    });
    const revoke = (id: string) => lamb.call(lamb.north.admin, 'DELETE', `${current}/invitations/${id}`);
    expect((await revoke(revoked.id)).status).toBe(204);
    expect((await revoke(revoked.id)).status).toBe(404);
    const other = Buffer.from(replaced.token, 'base64url');
    other.writeUInt8(other.readUInt8(20) ^ 1, 20);
    const south = Buffer.concat([Buffer.from(lamb.south.id.replaceAll('-', ''), 'hex'), other.subarray(16)]);
    const tokens = [
      expired.token,
      revoked.token,
      replaced.token,
      other.toString('base64url'),
      south.toString('base64url'),
      `${replaced.token}=`,
      'x',
      '../../..',
    ];
    const replies = await Promise.all(tokens.map((token) => accept(token)));
    for (const { status, body } of replies) {
      expect(status).toBe(404);
      const title = 'This invitation is not valid: it was used or revoked, or has expired. Ask for a new one.';
      expect(body).toMatchObject({ title });
    }
    for (const email of ['late', 'unwanted', 'twice']) expect(await isMember(`${email}@else.test`)).toBe(false);
    const open = await lamb.call(lamb.north.admin, 'GET', `${current}/invitations`);
    expect(open.body).toMatchObject({ items: [{ email: 'Twice@else.test' }], next_cursor: null });
    expect(open.text).not.toContain('token');
    const { rows } = await sql<{ row: string }>`select to_jsonb(i)::text as row from lamb.invitations i`.execute(
      lamb.services.db,
    );
    expect(JSON.stringify(rows)).not.toContain(replaced.token);
  });

  it('is accepted by the account that has the address, and by no other', async () => {
    const { token } = await invite({ email: lamb.south.teacher.email, role: 'member' });
    const stranger = await signIn(lamb, lamb.south.colleague);
    const refused = await post('/lamb/v1/me/invitations', { token }, stranger.headers);
    expect(refused.status).toBe(403);
    const signedUp = await accept(token);
    expect(signedUp.status, 'there is an account').toBe(409);
    expect(signedUp.headers.getSetCookie()).toEqual([]);
    const { headers } = await signIn(lamb, lamb.south.teacher);
    expect((await post('/lamb/v1/me/invitations', { token }, headers)).status, 'it was not used up').toBe(200);
    expect((await me(headers.cookie)).body).toMatchObject({ organization_id: lamb.north.id, role: 'member' });
    expect((await post('/lamb/v1/me/invitations', { token }, headers)).status).toBe(404);
  });

  it('to be an owner comes from an owner', async () => {
    const { token } = await invite({ email: 'deputy@else.test', role: 'admin' });
    const cookie = cookieOf(await accept(token));
    const asDeputy = { cookie, origin };
    expect((await post(`${current}/invitations`, { email: 'x@else.test', role: 'owner' }, asDeputy)).status).toBe(403);
    expect((await post(`${current}/invitations`, { email: 'x@else.test', role: 'admin' }, asDeputy)).status).toBe(201);
    const member = await lamb.call(lamb.north.admin, 'POST', `${current}/invitations`, {
      email: lamb.north.teacher.email,
    });
    expect(member.status).toBe(409);
  });
});

describe('one’s own account', () => {
  it('has a name and a language that one sets oneself, with a session', async () => {
    const { headers } = await signIn(lamb, lamb.north.colleague);
    const patch = (body: unknown) =>
      send(lamb, 'PATCH', '/lamb/v1/me', {
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await patch({ name: ' Núria ', language: 'ca' })).body).toMatchObject({ name: 'Núria', language: 'ca' });
    expect((await patch({ language: null })).body).toMatchObject({ name: 'Núria', language: null });
    for (const body of [{ name: ' ' }, { name: 'a\nb' }, { name: '\u200b' }, { language: '../en' }]) {
      expect((await patch(body)).status, JSON.stringify(body)).toBe(400);
    }
    const sly = await patch({ email: 'x@y.test', role: 'owner', system_admin: true });
    expect(sly.body).toMatchObject({ email: lamb.north.colleague.email, role: 'member', system_admin: false });
    expect((await lamb.call(lamb.north.colleague, 'PATCH', '/lamb/v1/me', { name: 'Key' })).status).toBe(403);
  });
});
