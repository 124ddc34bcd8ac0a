import { Assistant, AssistantPage, type ErrorCode } from '@lamb/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDoors } from '../auth/__fixtures__/open-doors.ts';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { send } from './__fixtures__/send.ts';

let lamb: TestServer;
let teacher: Person;
let colleague: Person;

beforeAll(async () => {
  lamb = await startTestServer();
  ({ teacher, colleague } = lamb.north);
});
afterAll(async () => {
  await lamb.stop();
});

const path = '/lamb/v1/assistants';

async function create(body: Record<string, unknown>, owner = teacher): Promise<Assistant> {
  const reply = await lamb.call(owner, 'POST', path, body);
  expect(reply.status, reply.text).toBe(201);
  return Assistant.parse(reply.body);
}

async function read(id: number): Promise<Assistant> {
  return Assistant.parse((await lamb.call(teacher, 'GET', `${path}/${id}`)).body);
}

describe('sharing and publishing', () => {
  it('shares with exactly the people that are named', async () => {
    const { id } = await create({ name: 'Shared' });
    const share = (emails: string[]) => lamb.call(teacher, 'PUT', `${path}/${id}/shares`, { emails });
    const { student, admin } = lamb.north;
    const first = await share([student.email, colleague.email.toUpperCase(), student.email]);
    expect(first.body).toEqual({ emails: [colleague.email, student.email] });
    expect((await share([colleague.email, admin.email])).body).toEqual({ emails: [admin.email, colleague.email] });
    const listed = await lamb.call(teacher, 'GET', `${path}/${id}/shares`);
    expect(listed.body).toEqual({ emails: [admin.email, colleague.email] });
    const seen = await lamb.call(colleague, 'GET', `${path}?scope=shared&search=Shared`);
    expect(seen.body).toMatchObject({ items: [{ id, name: 'Shared', owner: teacher.email }] });
  });

  it('names the people it does not know, and changes nothing', async () => {
    const { id } = await create({ name: 'Shared with nobody' });
    await lamb.call(teacher, 'PUT', `${path}/${id}/shares`, { emails: [colleague.email] });
    const reply = await lamb.call(teacher, 'PUT', `${path}/${id}/shares`, {
      emails: ['nobody@north.test', lamb.north.student.email],
    });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      title: 'Not members of your organisation: nobody@north.test.',
      details: { param: 'emails', unknown: ['nobody@north.test'] },
    });
    const shares = await lamb.call(teacher, 'GET', `${path}/${id}/shares`);
    expect(shares.body).toEqual({ emails: [colleague.email] });
    const malformed = await lamb.call(teacher, 'PUT', `${path}/${id}/shares`, { emails: ['no address'] });
    expect(malformed.body).toMatchObject({ details: { param: 'emails.0' } });
  });

  it('publishes to the organisation and takes it back', async () => {
    const { id } = await create({ name: 'Published' });
    const find = async (person: Person) =>
      AssistantPage.parse((await lamb.call(person, 'GET', `${path}?scope=published&limit=100`)).body).items.find(
        (each) => each.id === id,
      );
    expect(await find(lamb.north.student)).toBeUndefined();
    expect((await lamb.call(teacher, 'PUT', `${path}/${id}/publication`)).status).toBe(204);
    const publishedAt = (await read(id)).published_at;
    expect(publishedAt).toBeGreaterThan(1_700_000_000);
    expect(await find(lamb.north.student)).toMatchObject({ published: true });
    expect(await find(lamb.south.student)).toBeUndefined();
    expect((await lamb.call(teacher, 'PUT', `${path}/${id}/publication`)).status, 'twice is as good').toBe(204);
    expect((await read(id)).published_at).toBe(publishedAt);
    expect((await lamb.call(teacher, 'DELETE', `${path}/${id}/publication`)).status).toBe(204);
    expect((await lamb.call(teacher, 'DELETE', `${path}/${id}/publication`)).status).toBe(204);
    expect(await find(lamb.north.student)).toBeUndefined();
    expect((await read(id)).published_at).toBeNull();
  });

  it('shared is readable and usable, not editable; published is usable; a student never sees the prompt', async () => {
    const { student } = lamb.north;
    const { id } = await create({ name: 'Tutor', system_prompt: 'secret-prompt-5d2' });
    const address = `${path}/${id}`;
    const chat = (person: Person) =>
      lamb.call(person, 'POST', `/lamb/v1/completions?assistant=${id}`, {
        messages: [{ role: 'user', content: 'Hello' }],
      });

    await lamb.call(teacher, 'PUT', `${address}/shares`, { emails: [colleague.email, student.email] });
    expect((await lamb.call(colleague, 'GET', address)).body).toMatchObject({ system_prompt: 'secret-prompt-5d2' });
    expect((await chat(colleague)).status).toBe(200);
    expect((await chat(student)).status).toBe(200);
    const refused: [string, string, unknown?][] = [
      ['PATCH', address, { name: 'Mine now' }],
      ['DELETE', address],
      ['GET', `${address}/shares`],
      ['PUT', `${address}/shares`, { emails: [] }],
      ['PUT', `${address}/publication`],
      ['DELETE', `${address}/publication`],
    ];
    for (const [method, where, body] of refused) {
      const reply = await lamb.call(colleague, method, where, body);
      expect(reply.status, `${method} ${where}`).toBe(403);
      expect(reply.body).toMatchObject({ code: 'forbidden' satisfies ErrorCode });
    }

    await lamb.call(teacher, 'PUT', `${address}/shares`, { emails: [] });
    expect((await chat(colleague)).status).toBe(404);
    expect((await lamb.call(colleague, 'GET', address)).status).toBe(404);

    await lamb.call(teacher, 'PUT', `${address}/publication`);
    expect((await chat(colleague)).status).toBe(200);
    expect((await chat(student)).status).toBe(200);
    expect((await lamb.call(colleague, 'GET', address)).status).toBe(403);
    for (const door of await openDoors(lamb, student)) {
      const seen = await Promise.all(
        ['/v1/models', path, `${path}?scope=published`, address, `${address}/export`].map((where) =>
          send(lamb, 'GET', where, { headers: door.headers }),
        ),
      );
      expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 403, 403]);
      expect(seen.map(({ text }) => text).join()).toContain('Tutor');
      expect(seen.map(({ text }) => text).join()).not.toContain('secret-prompt-5d2');
    }

    await lamb.call(teacher, 'DELETE', `${address}/publication`);
    expect((await chat(student)).status).toBe(404);
  });
});

describe('lists', () => {
  it('show what each person may see', async () => {
    const mine = await create({ name: 'Lists: mine' }, colleague);
    const list = async (person: Person, scope: string) =>
      AssistantPage.parse((await lamb.call(person, 'GET', `${path}?scope=${scope}&search=Lists:`)).body).items.map(
        ({ id }) => id,
      );
    expect(await list(colleague, 'mine')).toEqual([mine.id]);
    expect(await list(colleague, 'visible')).toEqual([mine.id]);
    expect(await list(teacher, 'visible')).toEqual([]);
    expect(await list(lamb.north.admin, 'visible')).toEqual([]);
    expect(await list(lamb.north.admin, 'organization')).toEqual([mine.id]);
    const refused = await lamb.call(teacher, 'GET', `${path}?scope=organization`);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ title: 'Only administrators list all assistants of the organisation.' });
  });

  it('find a part of a name or a description, and take nothing in it for a pattern', async () => {
    await create({ name: '100% sure_thing', description: 'with a Backslash \\ in it' }, lamb.south.teacher);
    await create({ name: '100 sureXthing' }, lamb.south.teacher);
    const find = async (search: string) => {
      const reply = await lamb.call(lamb.south.teacher, 'GET', `${path}?search=${encodeURIComponent(search)}`);
      return AssistantPage.parse(reply.body).items.map(({ name }) => name);
    };
    expect(await find('100%')).toEqual(['100% sure_thing']);
    expect(await find('SURE_')).toEqual(['100% sure_thing']);
    expect(await find('slash \\')).toEqual(['100% sure_thing']);
    expect(await find('sure')).toHaveLength(2);
  });

  it('walk through all of it by pages, in any order, while others are made', async () => {
    const { admin } = lamb.south;
    const names = Array.from({ length: 23 }, (_, index) => `Page ${String(index).padStart(2, '0')}`);
    for (const name of names) await create({ name }, admin);
    for (const sort of ['name', 'created', 'updated']) {
      const seen: string[] = [];
      let cursor: string | null = '';
      let pages = 0;
      while (cursor !== null) {
        const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const reply = await lamb.call(admin, 'GET', `${path}?scope=mine&limit=5&sort=${sort}&search=Page${query}`);
        const page = AssistantPage.parse(reply.body);
        seen.push(...page.items.map(({ name }) => name));
        cursor = page.next_cursor;
        pages += 1;
        if (pages === 2) await create({ name: `Newcomer ${sort}` }, admin);
      }
      expect(pages).toBe(5);
      expect(seen).toEqual(sort === 'name' ? names : names.toReversed());
    }
    const reply = await lamb.call(admin, 'GET', `${path}?scope=mine&limit=5&sort=name`);
    const { next_cursor: ofNames } = AssistantPage.parse(reply.body);
    const mixed = await lamb.call(admin, 'GET', `${path}?scope=mine&sort=created&cursor=${ofNames ?? ''}`);
    expect(mixed.status).toBe(400);
  });

  it('distinguish the two kinds', async () => {
    await create({ name: 'Of many tools', metadata: { assistant_type: 'multi_tool' } });
    const reply = await lamb.call(teacher, 'GET', `${path}?type=multi_tool&limit=100`);
    const kinds = AssistantPage.parse(reply.body).items.map((each) => each.assistant_type);
    expect(kinds.length).toBeGreaterThan(0);
    expect(new Set(kinds)).toEqual(new Set(['multi_tool']));
  });
});
