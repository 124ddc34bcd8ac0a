import { startIdentityProvider, type IdentityProvider } from '@lamb/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { send } from '../routes/__fixtures__/send.ts';
import { createAccount } from '../accounts/create-account.ts';
import { startTestServer, type Reply, type TestServer } from '../test-server/start-test-server.ts';
import { signIn } from './__fixtures__/open-doors.ts';

const PUBLIC_URL = 'https://lamb.example';
const APP = 'https://app.example';

let idp: IdentityProvider;
let lamb: TestServer;

beforeAll(async () => {
  idp = await startIdentityProvider();
  const provider = {
    name: 'Our university',
    discovery_url: `${idp.issuer}/.well-known/openid-configuration`,
    client_id: idp.clientId,
    client_secret: idp.clientSecret,
  };
  lamb = await startTestServer({
    LAMB_PUBLIC_URL: PUBLIC_URL,
    LAMB_TRUSTED_ORIGINS: APP,
    LAMB_OIDC_PROVIDERS: JSON.stringify([
      { ...provider, id: 'students', organization: 'north' },
      { ...provider, id: 'staff', organization: 'south', role: 'member' },
      { ...provider, id: 'lost', organization: 'nowhere' },
    ]),
  });
});
beforeEach(() => {
  idp.forge = undefined;
});
afterAll(async () => {
  await lamb.stop();
  await idp.stop();
});

const readCookies = ({ headers }: Reply) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ');

/** Goes to the provider and comes back, as a browser does. */
async function visitProvider(provider: string): Promise<{ callback: string; cookie: string }> {
  const started = await send(lamb, 'POST', '/api/auth/sign-in/social', {
    headers: { 'content-type': 'application/json', origin: PUBLIC_URL },
    body: JSON.stringify({ provider, callbackURL: `${PUBLIC_URL}/home` }),
  });
  expect(started.status, started.text).toBe(200);
  const { url } = started.body as { url: string };
  expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/api/auth/callback/${provider}`);
  const authorized = await fetch(url, { redirect: 'manual' });
  const { pathname, search } = new URL(authorized.headers.get('location') ?? '');
  return { callback: pathname + search, cookie: readCookies(started) };
}

async function signInThrough(provider: string): Promise<{ reply: Reply; cookie: string; location: URL }> {
  const { callback, cookie } = await visitProvider(provider);
  const reply = await send(lamb, 'GET', callback, { headers: { cookie } });
  return { reply, cookie: readCookies(reply), location: new URL(reply.headers.get('location') ?? 'none:') };
}

async function findUser(email: string) {
  return await lamb.services.db.selectFrom('auth.user').selectAll().where('email', '=', email).executeTakeFirst();
}

const me = (cookie: string) => send(lamb, 'GET', '/lamb/v1/me', { headers: { cookie } });

describe('signing in through an identity provider', () => {
  it('makes a person who is new here an end user of the organisation it belongs to', async () => {
    idp.person = { sub: 'ada-1', email: 'Ada@Idp.test', email_verified: true, name: 'Ada' };
    const { location, cookie, reply } = await signInThrough('students');
    expect(location.href, reply.text).toBe(`${PUBLIC_URL}/home`);
    const first = await me(cookie);
    expect(first.body).toMatchObject({
      email: 'ada@idp.test',
      name: 'Ada',
      role: 'end_user',
      organization_id: lamb.north.id,
      via: 'session',
    });

    const again = await me((await signInThrough('students')).cookie);
    expect(again.body).toEqual(first.body);
    expect((await send(lamb, 'GET', '/lamb/v1/rubrics', { headers: { cookie } })).status).toBe(403);
  });

  it('makes a member where the operator says so', async () => {
    idp.person = { sub: 'grace-1', email: 'grace@idp.test', email_verified: true, name: 'Grace' };
    const { cookie } = await signInThrough('staff');
    expect((await me(cookie)).body).toMatchObject({ role: 'member', organization_id: lamb.south.id });
  });

  it('keeps nothing that would let us act at the provider', async () => {
    const { rows } = await sql<{ provider: string; row: string }>`
      select "providerId" as provider, to_jsonb(account)::text as row from auth.account`.execute(lamb.services.db);
    expect(rows.map(({ provider }) => provider)).toEqual(expect.arrayContaining(['students', 'staff']));
    const kept = rows.filter(({ row }) => /access-token-|refresh-token-|eyJ/.test(row));
    expect(kept).toEqual([]);
  });

  it('sends cookies that only our own pages get, and only over https', async () => {
    const { reply } = await signInThrough('staff');
    const session = reply.headers.getSetCookie().find((cookie) => cookie.includes('session_token'));
    expect(session).toMatch(/^__Secure-/);
    expect(session).toMatch(/; Secure/i);
    expect(session).toMatch(/; HttpOnly/i);
    expect(session).toMatch(/; SameSite=Lax/i);
    const withPassword = await signIn(lamb, lamb.north.teacher);
    for (const cookie of withPassword.reply.headers.getSetCookie()) expect(cookie).toMatch(/; Secure/i);
  });
});

describe('a person who is already known', () => {
  it('by the provider’s own organisation stays what they are', async () => {
    idp.person = { sub: 'teacher-1', email: lamb.north.teacher.email, email_verified: true, name: 'T' };
    const { cookie } = await signInThrough('students');
    expect((await me(cookie)).body).toMatchObject({ user_id: lamb.north.teacher.id, role: 'member' });
  });

  it.each(['admin', 'teacher', 'student'] as const)(
    'by another organisation is not the provider’s: %s',
    async (who) => {
      const victim = lamb.south[who];
      idp.person = { sub: `evil-${who}`, email: victim.email, email_verified: true, name: 'Evil' };
      const { location, cookie } = await signInThrough('students');
      expect(location.pathname).toBe('/api/auth/error');
      expect(location.searchParams.get('error')).toBe('account_of_another_organization');
      expect(location.searchParams.get('error_description')).toContain('Sign in the way you do there');
      expect(cookie).not.toContain('session_token');
      expect((await me(cookie)).status).toBe(401);
      const memberships = await lamb.services.db
        .selectFrom('auth.member')
        .select('organizationId')
        .where('userId', '=', victim.id)
        .execute();
      expect(memberships).toEqual([{ organizationId: lamb.south.id }]);
    },
  );

  it('without a verified e-mail address is nobody’s', async () => {
    idp.person = { sub: 'unverified-1', email: lamb.north.colleague.email, email_verified: false, name: 'C' };
    const { location } = await signInThrough('students');
    expect(location.searchParams.get('error')).toBe('account_not_linked');
  });

  it('is not let into an account that somebody made with their address', async () => {
    const email = 'victim@idp.test';
    await createAccount(lamb.services, {
      email,
      name: 'Not me',
      password: 'only the attacker knows',
      organizationId: lamb.north.id,
      role: 'end_user',
      vouchedBy: 'nobody',
    });
    idp.person = { sub: 'victim-1', email, email_verified: true, name: 'Victim' };
    const { location, cookie } = await signInThrough('students');
    expect(location.searchParams.get('error')).toBe('account_not_linked');
    expect(cookie).not.toContain('session_token');
  });

  it('but disabled does not come in', async () => {
    idp.person = { sub: 'gone-1', email: 'gone@idp.test', email_verified: true, name: 'Gone' };
    await signInThrough('students');
    await lamb.services.db
      .updateTable('auth.user')
      .set({ enabled: false })
      .where('email', '=', 'gone@idp.test')
      .execute();
    const { location, cookie } = await signInThrough('students');
    expect(location.searchParams.get('error')).toBe('account_disabled');
    expect(location.searchParams.get('error_description')).toContain('Ask an administrator of your organisation');
    expect(cookie).not.toContain('session_token');
  });
});

describe('what does not come from the provider as it should', () => {
  it.each([
    ['a token that somebody else signed', { withOtherKey: true }],
    ['a token for another request', { claims: { nonce: 'another' } }],
    ['a token for another application', { claims: { aud: 'another' } }],
    ['a token of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['a token that has expired', { claims: { exp: 1 } }],
  ])('%s is refused', async (_what, forge) => {
    idp.person = { sub: 'forged', email: 'forged@idp.test', email_verified: true, name: 'Forged' };
    idp.forge = forge;
    const { location, cookie } = await signInThrough('students');
    expect(location.pathname).toBe('/api/auth/error');
    expect(cookie).not.toContain('session_token');
    expect(await findUser('forged@idp.test')).toBeUndefined();
  });

  it('somebody else’s way back is refused: the browser that left must come back', async () => {
    idp.person = { sub: 'stolen', email: 'stolen@idp.test', email_verified: true, name: 'Stolen' };
    const { callback } = await visitProvider('students');
    const reply = await send(lamb, 'GET', callback);
    expect(reply.status).toBe(302);
    expect(readCookies(reply)).not.toContain('session_token');
    expect(await findUser('stolen@idp.test')).toBeUndefined();
  });

  it('a provider of an organisation that does not exist lets nobody in, and makes nobody', async () => {
    idp.person = { sub: 'lost', email: 'lost@idp.test', email_verified: true, name: 'Lost' };
    const { location } = await signInThrough('lost');
    expect(location.searchParams.get('error')).toBe('organization_unknown');
    expect(await findUser('lost@idp.test')).toBeUndefined();
  });

  it('a return to another site is refused before it starts', async () => {
    const reply = await send(lamb, 'POST', '/api/auth/sign-in/social', {
      headers: { 'content-type': 'application/json', origin: PUBLIC_URL },
      body: JSON.stringify({ provider: 'students', callbackURL: 'https://evil.example/' }),
    });
    expect(reply.status).toBe(403);
  });

  it('the error page says what happened', async () => {
    const page = await send(lamb, 'GET', '/api/auth/error?error=account_disabled');
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).toContain('account_disabled');
    const hostile = await send(lamb, 'GET', `/api/auth/error?error=${encodeURIComponent('<script>alert(1)</script>')}`);
    expect(hostile.text).not.toContain('<script>alert(1)');
  });
});

describe('a site that the operator trusts', () => {
  it('may act with the cookie and read the answer; another may do neither', async () => {
    const { headers } = await signIn(lamb, lamb.north.teacher);
    const create = (origin: string, name: string) =>
      send(lamb, 'POST', '/lamb/v1/assistants', {
        headers: { ...headers, origin, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
    const trusted = await create(APP, 'from the app');
    expect(trusted.status).toBe(201);
    expect(trusted.headers.get('access-control-allow-origin')).toBe(APP);
    expect(trusted.headers.get('access-control-allow-credentials')).toBe('true');
    const foreign = await create('https://evil.example', 'from elsewhere');
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('may ask beforehand what it may do, and read why it was refused', async () => {
    const preflight = (origin: string) =>
      send(lamb, 'OPTIONS', '/lamb/v1/assistants/1', { headers: { origin, 'access-control-request-method': 'PATCH' } });
    const trusted = await preflight(APP);
    expect(trusted.status).toBe(204);
    expect(trusted.headers.get('access-control-allow-origin')).toBe(APP);
    expect(trusted.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    const refused = await send(lamb, 'GET', '/lamb/v1/me', { headers: { origin: APP } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe(APP);
  });
});
