import type { ErrorCode } from '@lamb/contract';
import type { Db } from '@lamb/store';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount } from '../accounts/create-account.ts';
import { createOrganization } from '../accounts/create-organization.ts';
import { send } from '../routes/__fixtures__/send.ts';
import { makeKey, startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { openDoors, signIn, type Door } from './__fixtures__/open-doors.ts';

let lamb: TestServer;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(async () => {
  await lamb.stop();
});

let count = 0;

/** Somebody new in an organisation of their own, who came in through every door before anything changed. */
async function enter(): Promise<{ person: Person; organizationId: string; doors: Door[]; db: Db }> {
  count += 1;
  const { db } = lamb.services;
  const slug = `org-${count}`;
  const organizationId = await createOrganization(db, { name: slug, slug });
  const email = `person-${count}@${slug}.test`;
  const password = 'correct horse battery';
  const id = await createAccount(lamb.services, { email, name: 'P', password, organizationId, role: 'owner' });
  const key = await makeKey(lamb.services, { userId: id, organizationId });
  const person = { id, email, password, key };
  return { person, organizationId, doors: await openDoors(lamb, person), db };
}

async function expectClosed(doors: readonly Door[], status: number | Record<Door['name'], number>, code: ErrorCode) {
  for (const { name, headers } of doors) {
    for (const path of ['/lamb/v1/me', '/lamb/v1/assistants', '/v1/models']) {
      const reply = await send(lamb, 'GET', path, { headers });
      expect(reply.status, `${path} with a ${name}: ${reply.text}`).toBe(
        typeof status === 'number' ? status : status[name],
      );
      if (typeof status === 'number') expect(reply.text).toContain(`"${code}"`);
    }
  }
}

async function expectOpen(doors: readonly Door[]) {
  for (const { headers, name } of doors) {
    expect((await send(lamb, 'GET', '/lamb/v1/me', { headers })).status, name).toBe(200);
  }
}

describe('every door is closed', () => {
  it('to a disabled account, and signing in says whom to ask', async () => {
    const { person, doors, db } = await enter();
    await db.updateTable('auth.user').set({ enabled: false }).where('id', '=', person.id).execute();
    await expectClosed(doors, 403, 'account_disabled');
    const { reply } = await signIn(lamb, person);
    expect(reply.status).toBe(403);
    expect(reply.headers.getSetCookie().join()).not.toContain('session_token');
    expect(reply.body).toMatchObject({
      code: 'account_disabled',
      message: 'This account is disabled. Ask an administrator of your organisation to enable it.',
    });
  });

  it('to a banned person, until the ban ends', async () => {
    const { person, doors, db } = await enter();
    const ban = (banExpires: Date | null) =>
      db.updateTable('auth.user').set({ banned: true, banExpires }).where('id', '=', person.id).execute();
    await ban(null);
    await expectClosed(doors, 403, 'account_disabled');
    expect((await signIn(lamb, person)).reply.status).toBe(403);
    await ban(new Date(Date.now() + 3_600_000));
    await expectClosed(doors, 403, 'account_disabled');
    await ban(new Date(Date.now() - 1000));
    await vi.waitFor(() => expectOpen(doors), { timeout: 10_000 });
  });

  it('to everybody of a suspended organisation', async () => {
    const { organizationId, doors, db } = await enter();
    const set = (status: 'suspended' | 'trial') =>
      db.updateTable('auth.organization').set({ status }).where('id', '=', organizationId).execute();
    await set('suspended');
    await expectClosed(doors, 403, 'organization_suspended');
    await set('trial');
    await vi.waitFor(() => expectOpen(doors), { timeout: 10_000 });
  });

  it('to somebody who is no longer a member', async () => {
    const { person, doors, db } = await enter();
    await db.deleteFrom('auth.member').where('userId', '=', person.id).execute();
    await expectClosed(doors, { 'bearer key': 401, 'session cookie': 403 }, 'forbidden');
    const [, session] = doors;
    const reply = await send(lamb, 'GET', '/lamb/v1/me', { headers: session?.headers ?? {} });
    expect(reply.body).toMatchObject({ title: 'You do not belong to an organisation, or no longer to this one.' });
  });

  it('to somebody who was removed', async () => {
    const { person, doors, db } = await enter();
    await db.deleteFrom('auth.user').where('id', '=', person.id).execute();
    await expectClosed(doors, 401, 'unauthenticated');
    expect((await signIn(lamb, person)).reply.status).toBe(401);
  });

  it('soon, also when the key was just used', async () => {
    const { person, doors, db } = await enter();
    await expectOpen(doors);
    await db.updateTable('auth.user').set({ enabled: false }).where('id', '=', person.id).execute();
    await vi.waitFor(() => expectClosed(doors, 403, 'account_disabled'), { timeout: 10_000 });
  });
});

describe('a person of two organisations', () => {
  it('is in one at a time, and what is theirs in one is not in the other', async () => {
    const { person, organizationId, db } = await enter();
    await db
      .insertInto('auth.member')
      .values({ organizationId: lamb.south.id, userId: person.id, role: 'member' })
      .execute();
    const { headers } = await signIn(lamb, person);
    const ask = (method: string, path: string, body?: unknown) =>
      send(lamb, method, path, {
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect((await ask('GET', '/lamb/v1/me')).body).toMatchObject({ organization_id: organizationId, role: 'owner' });
    const created = await ask('POST', '/lamb/v1/assistants', { name: 'In the first' });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: number };

    const moved = await ask('POST', '/api/auth/organization/set-active', { organizationId: lamb.south.id });
    expect(moved.status).toBe(200);
    expect((await ask('GET', '/lamb/v1/me')).body).toMatchObject({ organization_id: lamb.south.id, role: 'member' });
    expect((await ask('GET', '/lamb/v1/organizations')).body).toMatchObject({
      items: [
        { id: organizationId, role: 'owner', current: false },
        { id: lamb.south.id, role: 'member', current: true },
      ],
    });
    expect((await ask('GET', `/lamb/v1/assistants/${id}`)).status).toBe(404);
    expect((await ask('GET', '/lamb/v1/organizations/current/config')).status).toBe(403);
    const key = await ask('POST', '/lamb/v1/keys', { name: 'of the second' });
    const me = await lamb.call(key.body as { key: string }, 'GET', '/lamb/v1/me');
    expect(me.body).toMatchObject({ organization_id: lamb.south.id });

    await db.updateTable('auth.organization').set({ status: 'suspended' }).where('id', '=', organizationId).execute();
    expect((await ask('GET', '/lamb/v1/me')).status, 'the other is not concerned').toBe(200);
  });
});
