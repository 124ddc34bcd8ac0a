import type { z } from 'zod';
import type { ChatWithMessages, RunAnswer, RunEvent, SharedChat } from '@lamb/contract';
import { numberTokens } from '@lamb/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { finishRun } from '../runs/__fixtures__/finish-run.ts';
import { readRunStream } from '../runs/__fixtures__/read-run-stream.ts';
import { makeKey, startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { send } from './__fixtures__/send.ts';

type Read = z.infer<typeof ChatWithMessages>;
type Shared = z.infer<typeof SharedChat>;

let lamb: TestServer;
let student: Person;
let assistant: { id: number; model: string };

beforeAll(async () => {
  lamb = await startTestServer();
  ({ student } = lamb.north);
  assistant = await createAssistant(lamb, lamb.north.teacher, {
    name: 'Tutor',
    system_prompt: 'secret-prompt',
    published: true,
  });
});
afterAll(() => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
});

const path = (id: string, more = '') => `/lamb/v1/chats/${id}${more}`;
async function begin(person = student): Promise<string> {
  const { status, body } = await lamb.call(person, 'POST', '/lamb/v1/chats', { assistant_id: assistant.id });
  expect(status).toBe(201);
  return (body as { id: string }).id;
}
async function follow(reply: { status: number; body: unknown }, person = student): Promise<string> {
  expect(reply.status).toBe(202);
  const { id } = reply.body as { id: string };
  await finishRun(lamb, person, id);
  return id;
}
const say = (chat: string, content: unknown, more: Record<string, unknown> = {}, person = student) =>
  lamb.call(person, 'POST', path(chat, '/turns'), { content, ...more });
const regenerate = (chat: string) => lamb.call(student, 'POST', path(chat, '/regenerate'), {});
const read = async (chat: string, query = '') => (await lamb.call(student, 'GET', path(chat, query))).body as Read;
const texts = ({ messages }: Pick<Read, 'messages'>) => messages.map(({ message }) => message.content);
const lastSent = () =>
  (lamb.llm.requests.at(-1)?.body as { messages: { role: string; content: string }[] }).messages
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => content);

describe('a chat', () => {
  test('is called after its first question, until it is renamed', async () => {
    const chat = await begin();
    expect(await read(chat)).toMatchObject({ title: 'Tutor', assistant_name: 'Tutor', shared: false, share: null });
    await follow(await say(chat, `  How do\n cells   divide ${'and divide '.repeat(20)}?`));
    const { title } = await read(chat);
    expect(title).toMatch(/^How do cells divide and divide .*…$/);
    expect(title.length).toBeLessThanOrEqual(81);
    await follow(await say(chat, 'And then?'));
    expect((await read(chat)).title).toBe(title);
    const renamed = await lamb.call(student, 'PATCH', path(chat), { title: ' Cells ' });
    expect(renamed).toMatchObject({ status: 200, body: { id: chat, title: 'Cells' } });
    expect((await read(chat)).title).toBe('Cells');
  });

  test('whose first question was refused is in no list, and is called after the one that was taken', async () => {
    const { teacher } = lamb.north;
    const { id: passing } = await createAssistant(lamb, teacher, { name: 'Passing', published: true });
    const { id: chat } = (await lamb.call(student, 'POST', '/lamb/v1/chats', { assistant_id: passing })).body as {
      id: string;
    };
    const publication = `/lamb/v1/assistants/${String(passing)}/publication`;
    const list = async () => {
      const { body } = await lamb.call(student, 'GET', `/lamb/v1/chats?assistant=${String(passing)}`);
      return (body as { items: { id: string; title: string }[] }).items.map(({ id, title }) => [id, title]);
    };
    await lamb.call(teacher, 'DELETE', publication);
    expect((await say(chat, 'Too soon')).status).toBe(404);
    expect(await list()).toEqual([]);
    await lamb.call(teacher, 'PUT', publication);
    await follow(await say(chat, 'And now?'));
    expect(await list()).toEqual([[chat, 'And now?']]);
  });

  test('is found by its title and by what was said, also in parts, page by page and by nobody else', async () => {
    const [named, spoken, other] = [await begin(), await begin(), await begin()];
    await lamb.call(student, 'PATCH', path(named), { title: 'About 100% Zebras_' });
    await follow(await say(named, 'One'));
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,zebras' } };
    lamb.llm.script({ text: 'Stripes, on ZEBRAS.' });
    await follow(await say(spoken, [{ type: 'text', text: 'Which animal?' }, image]));
    await follow(await say(other, [{ type: 'text', text: 'Two' }, image]));
    const find = async (person: Person, query: string) =>
      (await lamb.call(person, 'GET', `/lamb/v1/chats?${query}`)).body as {
        items: { id: string }[];
        next_cursor: string | null;
      };
    const ids = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
    expect(ids(await find(student, 'search=zebras'))).toEqual([spoken, named]);
    expect(ids(await find(student, 'search=which%20ANIMAL'))).toEqual([spoken]);
    expect(ids(await find(student, 'search=100%25%20z'))).toEqual([named]);
    expect(ids(await find(student, 'search=%25'))).toEqual([named]);
    expect(ids(await find(lamb.north.teacher, 'search=zebras'))).toEqual([]);
    const first = await find(student, 'search=zebras&limit=1');
    expect(ids(await find(student, `search=zebras&limit=1&cursor=${first.next_cursor ?? ''}`))).toEqual([named]);
    expect(ids(await find(student, `search=zebras&assistant=${String(assistant.id + 1)}`))).toEqual([]);
  });

  test('that is opened in mid-answer names the run to go on with', async () => {
    const chat = await begin();
    lamb.llm.script({ tokens: 30, intervalMs: 20 });
    const { body } = await say(chat, 'Count.');
    const { id: runId } = body as { id: string };
    expect(await read(chat)).toMatchObject({ active_run: { id: runId, status: 'running', chat_id: chat } });
    const answer = async () => (await lamb.call(student, 'GET', `/lamb/v1/runs/${runId}/answer`)).body as RunAnswer;
    await expect.poll(async () => (await answer()).text, { timeout: 10_000 }).not.toBe('');
    const { text: begun, last_seq: lastEventId } = await answer();
    let rest = '';
    let last: RunEvent['type'] | undefined;
    for await (const { event } of readRunStream({ url: lamb.url, key: student.key, runId, lastEventId })) {
      if (event.type === 'text.delta') rest += event.text;
      last = event.type;
    }
    expect([begun + rest, last]).toEqual([numberTokens(30), 'run.finished']);
    await finishRun(lamb, student, runId);
    const after = await read(chat);
    expect(after.active_run).toBeNull();
    expect(await answer()).toMatchObject({ status: 'finished', text: numberTokens(30), error: null });
    expect(after.messages.map(({ run_status: status }) => status)).toEqual(['finished', 'finished']);
  });

  test('has its last question answered anew, and keeps the first answer', async () => {
    const chat = await begin();
    expect((await regenerate(chat)).status).toBe(400);
    lamb.llm.script({ text: 'a1' }, { text: 'a2' }, { text: 'a2 again' });
    await follow(await say(chat, 'q1'));
    const first = await follow(await say(chat, 'q2'));
    const again = await follow(await regenerate(chat));
    expect(lastSent()).toEqual(['q1', 'a1', 'q2']);
    expect(texts(await read(chat))).toEqual(['q1', 'a1', 'q2', 'a2 again']);
    const all = await read(chat, '?replaced=true');
    expect(
      all.messages.map(({ message, run_id: run, replaced_by: by }) => [message.content, run, by]).slice(2),
    ).toEqual([
      ['q2', first, again],
      ['a2', first, again],
      ['q2', again, null],
      ['a2 again', again, null],
    ]);
  });

  test('lets an earlier question be asked differently, and keeps what followed it', async () => {
    const chat = await begin();
    lamb.llm.script({ text: 'a1' }, { text: 'a2' }, { text: 'b1' }, { text: 'b2' });
    await follow(await say(chat, 'q1'));
    await follow(await say(chat, 'q2'));
    const { messages } = await read(chat);
    const [q1, a1] = messages;
    expect((await say(chat, 'x', { replaces: a1?.id })).status).toBe(400);
    expect((await say(chat, 'x', { replaces: 999_999_999 })).status).toBe(400);
    const other = await begin();
    expect((await say(other, 'x', { replaces: q1?.id })).status).toBe(400);
    await follow(await say(chat, 'q1 better', { replaces: q1?.id }));
    expect(lastSent()).toEqual(['q1 better']);
    expect(texts(await read(chat))).toEqual(['q1 better', 'b1']);
    await follow(await say(chat, 'more'));
    expect(lastSent()).toEqual(['q1 better', 'b1', 'more']);
    expect(texts(await read(chat, '?replaced=true'))).toEqual([
      'q1',
      'a1',
      'q2',
      'a2',
      'q1 better',
      'b1',
      'more',
      'b2',
    ]);
    // What was replaced is not a question of this chat any more.
    expect((await say(chat, 'x', { replaces: q1?.id })).status).toBe(400);
  });

  test('takes one question at a time: of several at once one is answered, and the next when the answer is told', async () => {
    const chat = await begin();
    lamb.llm.script({ tokens: 5, faults: { hangAfterChunks: 2 } }, { text: 'a2' }, { text: 'a3' });
    const replies = await Promise.all(['q', 'q', 'q', 'q'].map((content) => say(chat, content)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'answer_under_way' });
    expect(texts(await read(chat))).toEqual(['q']);
    const begun = replies.find(({ status }) => status === 202)?.body as { id: string };
    await lamb.call(student, 'POST', `/lamb/v1/runs/${begun.id}/cancel`);
    // Nobody who stopped an answer, or heard its last word, has to wait for what is written down afterwards.
    for (const content of ['q2', 'q3']) {
      const { status, body } = await say(chat, content);
      expect(status).toBe(202);
      const { id: runId } = body as { id: string };
      const told: string[] = [];
      for await (const { event } of readRunStream({ url: lamb.url, key: student.key, runId })) told.push(event.type);
      expect(told.at(-1)).toBe('run.finished');
    }
    expect(lastSent()).toEqual(['q', 'q2', 'a2', 'q3']);
  });

  test('does not change under an answer that is under way; once it is stopped, it does', async () => {
    const chat = await begin();
    lamb.llm.script({ tokens: 5, faults: { hangAfterChunks: 2 } }, { text: 'at last' });
    const { body } = await say(chat, 'q');
    const { id: runId } = body as { id: string };
    const [question] = (await read(chat)).messages;
    expect(await regenerate(chat)).toMatchObject({ status: 409, body: { code: 'answer_under_way' } });
    expect(await say(chat, 'other', { replaces: question?.id })).toMatchObject({ status: 409 });
    expect(texts(await read(chat, '?replaced=true'))).toEqual(['q']);
    await lamb.call(student, 'POST', `/lamb/v1/runs/${runId}/cancel`);
    const stopped = await lamb.call(student, 'GET', `/lamb/v1/runs/${runId}/answer`);
    expect(stopped.body).toMatchObject({ status: 'cancelled' });
    await expect.poll(async () => (await regenerate(chat)).status, { timeout: 10_000 }).toBe(202);
    await expect.poll(async () => texts(await read(chat)), { timeout: 10_000 }).toEqual(['q', 'at last']);
  });

  test('of somebody who may edit the assistant can be looked into; of a student it cannot', async () => {
    const { teacher } = lamb.north;
    const own = await follow(await say(await begin(teacher), 'Why?', {}, teacher), teacher);
    const trace = await lamb.call(teacher, 'GET', `/lamb/v1/runs/${own}/trace`);
    expect(trace).toMatchObject({ status: 200, body: { has_texts: true } });
    const theirs = await follow(await say(await begin(), 'Why?'));
    expect((await lamb.call(teacher, 'GET', `/lamb/v1/runs/${theirs}/trace`)).status).toBe(404);
  });
});

describe('a shared chat', () => {
  const open = (token: string) => send(lamb, 'GET', `/lamb/v1/shared-chats/${token}`);
  const share = async (chat: string) => {
    const { status, body } = await lamb.call(student, 'PUT', path(chat, '/share'));
    expect(status).toBe(200);
    return (body as { token: string }).token;
  };

  test('is read by whoever has the link: what was said until then, and nothing else', async () => {
    const chat = await begin();
    lamb.llm.script({ text: 'a1' }, { text: 'a2' });
    await follow(await say(chat, 'q1'));
    const token = await share(chat);
    expect((await read(chat)).share).toMatchObject({ token });
    await follow(await say(chat, 'private afterthought'));
    const { status, headers, body, text } = await open(token);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body as Shared).toEqual({
      title: 'q1',
      assistant_name: 'Tutor',
      shared_at: expect.any(Number) as number,
      messages: [
        { role: 'user', content: 'q1' },
        { role: 'assistant', content: 'a1' },
      ],
    });
    for (const secret of ['secret-prompt', student.email, student.id, 'private']) expect(text).not.toContain(secret);
    // Sharing again adds what was said since, under the same link.
    expect(await share(chat)).toBe(token);
    expect(((await open(token)).body as Shared).messages).toHaveLength(4);
  });

  test('is gone when the link is taken back or the chat is deleted, and no other link works', async () => {
    const [chat, deleted] = [await begin(), await begin()];
    await follow(await say(chat, 'q1'));
    const token = await share(chat);
    expect((await lamb.call(lamb.north.teacher, 'PUT', path(chat, '/share'))).status).toBe(404);
    expect((await lamb.call(lamb.north.teacher, 'DELETE', path(chat, '/share'))).status).toBe(404);
    expect((await open(token)).status).toBe(200);
    expect((await lamb.call(student, 'DELETE', path(chat, '/share'))).status).toBe(204);
    expect((await open(token)).status).toBe(404);
    const next = await share(chat);
    expect(next).not.toBe(token);
    expect((await open(token)).status).toBe(404);

    const setStatus = async (status: 'active' | 'suspended') =>
      await lamb.services.db.updateTable('auth.organization').set({ status }).where('id', '=', lamb.north.id).execute();
    await setStatus('suspended');
    expect((await open(next)).status).toBe(404);
    await setStatus('active');
    expect((await open(next)).status).toBe(200);

    const gone = await share(deleted);
    await lamb.call(student, 'DELETE', path(deleted));
    const guess = `${next.slice(0, -4)}${next.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    for (const wrong of [gone, guess, chat, 'x', 'A'.repeat(54), `${next}A`]) {
      expect((await open(wrong)).status).toBe(404);
    }
  });
});

test('a key that is limited to an assistant follows the runs that it started, and no others', async () => {
  const { teacher } = lamb.north;
  const owner = { userId: teacher.id, organizationId: lamb.north.id };
  const key = await makeKey(lamb.services, { ...owner, assistants: [assistant.id] });
  const twin = await makeKey(lamb.services, { ...owner, assistants: [assistant.id] });
  const start = async (credential: string) => {
    const { status, body } = await lamb.call({ key: credential }, 'POST', '/v1/chat/completions', {
      model: assistant.model,
      messages: [{ role: 'user', content: 'Hello' }],
      lamb: { background: true },
    });
    expect(status).toBe(202);
    return (body as { id: string }).id;
  };
  const run = await start(key);
  const statuses = async (credential: string, id: string) =>
    Promise.all(
      [
        ['GET', ''],
        ['GET', '/events'],
        ['POST', '/cancel'],
      ].map(
        async ([method = '', door = '']) =>
          (await lamb.call({ key: credential }, method, `/lamb/v1/runs/${id}${door}`)).status,
      ),
    );
  expect(await statuses(key, run)).toEqual([200, 200, 202]);
  expect(await statuses(teacher.key, run)).toEqual([200, 200, 202]);
  expect(await statuses(twin, run)).toEqual([404, 404, 404]);
  expect(await statuses(key, await start(teacher.key))).toEqual([404, 404, 404]);
  // What its holder said in the web app stays there.
  expect((await lamb.call({ key }, 'GET', '/lamb/v1/chats')).status).toBe(403);
});
