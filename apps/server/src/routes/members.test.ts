import { withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { vi, afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../auth/__fixtures__/open-doors.ts';
import { createAccount } from '../accounts/create-account.ts';
import { makeKey, startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { sampleRubric } from './__fixtures__/sample-bodies.ts';
import { send } from './__fixtures__/send.ts';

let lamb: TestServer;
let owner: Person;

beforeAll(async () => {
  lamb = await startTestServer();
  owner = lamb.north.admin;
});
afterAll(async () => {
  await lamb.stop();
});

const members = '/lamb/v1/organizations/current/members';
const password = 'correct horse battery';
const patch = (id: string, body: unknown, person = owner) => lamb.call(person, 'PATCH', `${members}/${id}`, body);
const remove = (id: string, query = '', person = owner) => lamb.call(person, 'DELETE', `${members}/${id}${query}`);

async function addPerson(name: string, role: 'owner' | 'admin' | 'member' | 'end_user'): Promise<Person> {
  const email = `${name}@more.test`;
  const account = { email, name, password, organizationId: lamb.north.id, role };
  const id = await createAccount(lamb.services, account);
  const key = await makeKey(lamb.services, { userId: id, organizationId: lamb.north.id });
  return { id, email, password, key };
}

it('the members are searched, and show when they were seen', async () => {
  const { teacher } = lamb.north;
  await lamb.call(teacher, 'GET', '/lamb/v1/me');
  await vi.waitFor(
    async () => {
      const { body } = await lamb.call(owner, 'GET', `${members}?search=TEACHER@NORTH`);
      expect(body).toMatchObject({
        items: [{ user_id: teacher.id, role: 'member', enabled: true, last_seen_at: expect.any(Number) }],
        next_cursor: null,
      });
    },
    { timeout: 10_000 },
  );
  expect((await lamb.call(owner, 'GET', `${members}?search=%25`)).body).toMatchObject({ items: [] });
});

describe('a member', () => {
  it('who is disabled is out at once, here and not elsewhere', async () => {
    const person = await addPerson('disabled', 'member');
    await lamb.services.db
      .insertInto('auth.member')
      .values({ organizationId: lamb.south.id, userId: person.id, role: 'member' })
      .execute();
    const abroad = await makeKey(lamb.services, { userId: person.id, organizationId: lamb.south.id });
    expect((await lamb.call(person, 'GET', '/lamb/v1/me')).status).toBe(200);
    expect((await patch(person.id, { enabled: false })).body).toMatchObject({ enabled: false });
    expect((await lamb.call(person, 'GET', '/lamb/v1/me')).body).toMatchObject({ code: 'account_disabled' });
    expect((await lamb.call({ key: abroad }, 'GET', '/lamb/v1/me')).status).toBe(200);
    const { headers } = await signIn(lamb, person);
    expect((await send(lamb, 'GET', '/lamb/v1/me', { headers })).body).toMatchObject({
      organization_id: lamb.south.id,
    });
    const back = await send(lamb, 'PUT', '/lamb/v1/me/organization', {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ organization_id: lamb.north.id }),
    });
    expect(back.body).toMatchObject({ code: 'account_disabled' });
    expect((await patch(person.id, { enabled: true })).status).toBe(200);
    expect((await lamb.call(person, 'GET', '/lamb/v1/me')).status).toBe(200);
  });

  it('who is disabled everywhere cannot sign in', async () => {
    const person = await addPerson('nowhere', 'member');
    await patch(person.id, { enabled: false });
    expect((await signIn(lamb, person)).reply.body).toMatchObject({ code: 'account_disabled' });
  });

  it('gets another role at once, and with a lower one no gateway’s key any more', async () => {
    const person = await addPerson('climber', 'admin');
    const holder = { userId: person.id, organizationId: lamb.north.id };
    const gateway = await makeKey(lamb.services, { ...holder, trustedGateway: true });
    expect((await lamb.call(person, 'GET', members)).status).toBe(200);
    expect((await patch(person.id, { role: 'end_user' })).body).toMatchObject({ role: 'end_user' });
    expect((await lamb.call(person, 'GET', members)).status).toBe(403);
    expect((await lamb.call({ key: gateway }, 'GET', '/lamb/v1/me')).body).toMatchObject({ role: 'end_user' });
    const { items } = (await lamb.call(person, 'GET', '/lamb/v1/keys')).body as {
      items: { trusted_gateway: boolean }[];
    };
    expect(items.map((key) => key.trusted_gateway)).toEqual([false, false]);
    expect((await patch(person.id, { role: 'member' })).body).toMatchObject({ role: 'member' });
    const audit = await lamb.call(owner, 'GET', `/lamb/v1/organizations/current/audit?subject=user:${person.id}`);
    expect(audit.body).toMatchObject({
      items: [
        { action: 'member.role_changed', details: { from: 'end_user', to: 'member' }, actor_email: owner.email },
        { action: 'member.role_changed', details: { from: 'admin', to: 'end_user' } },
      ],
    });
  });
});

describe('an owner', () => {
  it('is not touched by an administrator, who makes none either', async () => {
    const admin = await addPerson('admin-2', 'admin');
    expect((await patch(owner.id, { role: 'member' }, admin)).status).toBe(403);
    expect((await patch(owner.id, { enabled: false }, admin)).status).toBe(403);
    expect((await remove(owner.id, '', admin)).status).toBe(403);
    expect((await patch(admin.id, { role: 'owner' }, admin)).status).toBe(403);
    expect((await patch(lamb.north.colleague.id, { role: 'admin' }, admin)).status).toBe(200);
    await patch(lamb.north.colleague.id, { role: 'member' });
  });

  it('who is the last one stays', async () => {
    for (const change of [{ role: 'admin' }, { role: 'end_user' }]) {
      expect((await patch(owner.id, change)).body).toMatchObject({ code: 'last_owner' });
    }
    expect((await patch(owner.id, { enabled: false })).status).toBe(400);
    expect((await remove(owner.id)).body).toMatchObject({ code: 'last_owner' });
    expect((await lamb.call(owner, 'GET', '/lamb/v1/me')).body).toMatchObject({ role: 'owner' });
  });

  it('is left, even when two remove each other at the same moment', async () => {
    const { south } = lamb;
    await lamb.call(south.admin, 'PATCH', `${members}/${south.teacher.id}`, { role: 'owner' });
    const replies = await Promise.all([
      lamb.call(south.admin, 'DELETE', `${members}/${south.teacher.id}`),
      lamb.call(south.teacher, 'DELETE', `${members}/${south.admin.id}`),
    ]);
    expect(replies.map(({ status }) => status).toSorted()[0]).toBe(200);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('who is removed', () => {
  it('leaves everything to somebody who can use it', async () => {
    const person = await addPerson('leaver', 'member');
    const heir = lamb.north.teacher;
    const create = (name: string, who: Person) => lamb.call(who, 'POST', '/lamb/v1/assistants', { name });
    await create('Same name', heir);
    const { id } = (await create('Same name', person)).body as { id: number };
    const { id: plain } = (await create('Only mine', person)).body as { id: number };
    const rubric = await lamb.call(person, 'POST', '/lamb/v1/rubrics', { rubric: sampleRubric });
    for (const [who, path] of [
      [person, 'a.md'],
      [person, 'b.md'],
      [heir, 'b.md'],
    ] as const) {
      const form = new FormData();
      form.append('path', path);
      form.append('file', new Blob([who.email]), 'upload');
      await send(lamb, 'POST', '/lamb/v1/files', { headers: { authorization: `Bearer ${who.key}` }, body: form });
    }
    for (const who of [person, heir]) {
      await withTenant(lamb.services.db, lamb.north.id, (tx) =>
        sql`insert into lamb.collections (owner_id, name, embedding_provider, embedding_model, embedding_dimensions)
          values (${who.id}::uuid, 'Notes', 'openai', 'm', 3)`.execute(tx),
      );
    }
    const { headers } = await signIn(lamb, person);

    expect((await lamb.call(owner, 'GET', `${members}/${person.id}`)).body).toMatchObject({
      owns: { assistants: 2, rubrics: 1, files: 2, collections: 1 },
    });
    expect((await remove(person.id)).body).toMatchObject({
      code: 'owns_resources',
      details: { assistants: 2, rubrics: 1, files: 2, collections: 1 },
    });
    for (const wrong of [person.id, lamb.north.student.id]) {
      expect((await remove(person.id, `?transfer_to=${wrong}`)).status).toBe(400);
    }
    const removed = await remove(person.id, `?transfer_to=${heir.id}`);
    expect(removed.body).toEqual({
      transferred: { assistants: 2, rubrics: 1, files: 2, collections: 1 },
      renamed_files: ['b.md'],
    });

    const names = await Promise.all([id, plain].map((each) => lamb.call(heir, 'GET', `/lamb/v1/assistants/${each}`)));
    expect(names.map(({ body }) => body as unknown)).toMatchObject([
      { name: `Same name (${id})`, owner: heir.email },
      { name: 'Only mine', owner: heir.email },
    ]);
    const { rubric_id: rubricId } = rubric.body as { rubric_id: string };
    expect((await lamb.call(heir, 'GET', `/lamb/v1/rubrics/${rubricId}`)).body).toMatchObject({ owner: heir.email });
    expect((await lamb.call(person, 'GET', '/lamb/v1/me')).status, 'the key is gone').toBe(401);
    expect((await send(lamb, 'GET', '/lamb/v1/me', { headers })).body).toMatchObject({ code: 'no_organization' });
    expect((await send(lamb, 'GET', '/lamb/v1/me/organizations', { headers })).body).toEqual({ items: [] });
    expect((await remove(person.id)).status).toBe(404);
  });

  it('may leave nothing, when an administrator says so', async () => {
    const person = await addPerson('gone', 'member');
    const { id } = (await lamb.call(person, 'POST', '/lamb/v1/assistants', { name: 'Gone' })).body as { id: number };
    expect((await remove(person.id, '?discard=true')).body).toEqual({ transferred: null, renamed_files: [] });
    expect((await lamb.call(owner, 'GET', `/lamb/v1/assistants/${id}`)).status).toBe(404);
  });
});
