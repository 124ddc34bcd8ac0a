import type { RunAnswer, RunEvent } from '@lamb/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { readRunStream } from './__fixtures__/read-run-stream.ts';

let lamb: TestServer;
let student: Person;
let assistant: { id: number; model: string };

beforeAll(async () => {
  lamb = await startTestServer();
  ({ student } = lamb.north);
  assistant = await createAssistant(lamb, lamb.north.teacher, {
    name: 'Editor',
    tools: [{ type: 'patch_file', mode: 'function' }],
    published: true,
  });
});
afterAll(() => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
});

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

async function startRun(person = student): Promise<string> {
  const { status, body } = await lamb.call(person, 'POST', '/v1/chat/completions', {
    model: assistant.model,
    messages: [{ role: 'user', content: 'Hello' }],
    lamb: { background: true },
  });
  expect(status).toBe(202);
  return (body as { id: string }).id;
}

async function readAll(runId: string, lastEventId = 0): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const { event } of readRunStream({ url: lamb.url, key: student.key, runId, lastEventId })) {
    events.push(event);
  }
  return events;
}

async function poll(runId: string, after: number): Promise<{ events: RunEvent[]; last_seq: number; done: boolean }> {
  const response = await fetch(`${lamb.url}/lamb/v1/runs/${runId}/events?after=${after}`, {
    headers: { authorization: `Bearer ${student.key}`, accept: 'application/json' },
  });
  return (await response.json()) as { events: RunEvent[]; last_seq: number; done: boolean };
}

describe('a run', () => {
  test('in the background is answered at once, and described while the model thinks', async () => {
    lamb.llm.script({ faults: { hangBeforeHeaders: true } });
    const runId = await startRun();
    const described = await lamb.call(student, 'GET', `/lamb/v1/runs/${runId}`);
    expect(described.body).toMatchObject({
      id: runId,
      assistant_id: assistant.id,
      chat_id: null,
      status: 'running',
      finished_at: null,
      events_url: `/lamb/v1/runs/${runId}/events`,
    });
    await lamb.call(student, 'POST', `/lamb/v1/runs/${runId}/cancel`, {});
  });

  test('is followed by polling', async () => {
    lamb.llm.script({ tokens: 20, intervalMs: 10 });
    const runId = await startRun();
    const events: RunEvent[] = [];
    for (let page = await poll(runId, 0); ; page = await poll(runId, page.last_seq)) {
      events.push(...page.events);
      expect(page.last_seq).toBe(events.length);
      if (page.done) break;
    }
    expect(events).toEqual(await readAll(runId));
    expect(events.at(-1)?.type).toBe('run.finished');
    await expect
      .poll(async () => (await lamb.call(student, 'GET', `/lamb/v1/runs/${runId}`)).body as unknown)
      .toMatchObject({ status: 'finished', finished_at: expect.any(Number) as number });
  });

  test('is resumed after any of its numbers; past its end there is nothing, and it does not hang', async () => {
    lamb.llm.script({ tokens: 5 });
    const runId = await startRun();
    const events = await readAll(runId);
    for (const { seq } of events) expect(await readAll(runId, seq)).toEqual(events.slice(seq));
    await expect
      .poll(async () => (await lamb.call(student, 'GET', `/lamb/v1/runs/${runId}`)).body as unknown)
      .toMatchObject({ status: 'finished' });
    expect(await readAll(runId, events.length)).toEqual([]);
    expect(await readAll(runId, events.length + 1000)).toEqual([]);
    expect(await poll(runId, events.length)).toEqual({ events: [], last_seq: events.length, done: true });
  });

  test('goes on where a browser lost it that had asked for all after a number', async () => {
    lamb.llm.script({ tokens: 5 });
    const runId = await startRun();
    const events = await readAll(runId);
    const seen = events.length - 1;
    for (const [after, last] of [
      [1, seen],
      [seen, 1],
    ] as const) {
      const response = await fetch(`${lamb.url}/lamb/v1/runs/${runId}/events?after=${after}`, {
        headers: { authorization: `Bearer ${student.key}`, 'last-event-id': String(last) },
      });
      const ids = [...(await response.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
      expect(ids).toEqual([events.length]);
    }
  });

  test('that fails says so to whoever comes back right before', async () => {
    lamb.llm.script({ faults: { status: 401 } });
    const runId = await startRun();
    const events = await readAll(runId);
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', code: 'provider_credentials_rejected' });
    expect(await readAll(runId, events.length - 1)).toEqual(events.slice(-1));
  });

  test('ends also when its assistant is gone before it could begin again', async () => {
    const other = await createAssistant(lamb, lamb.north.teacher, {
      name: 'Short-lived',
      tools: [{ type: 'patch_file', mode: 'function' }],
    });
    const change = { line_start: 1, line_end: 1, old_content: 'a', new_content: 'b' };
    lamb.llm.script({
      toolCalls: [{ name: 'patch_file', arguments: { file_path: 'a.txt', changes: [change] } }],
    });
    const { teacher } = lamb.north;
    const { body } = await lamb.call(teacher, 'POST', '/v1/chat/completions', {
      model: other.model,
      messages: [{ role: 'user', content: 'Edit it.' }],
      lamb: { background: true },
    });
    const { id } = body as { id: string };
    const statusOf = async () =>
      ((await lamb.call(teacher, 'GET', `/lamb/v1/runs/${id}`)).body as { status: string }).status;
    await expect.poll(statusOf).toBe('waiting');
    // Nobody decides about what they cannot see.
    const { body: soFar } = await lamb.call(teacher, 'GET', `/lamb/v1/runs/${id}/answer`);
    const [asked] = (soFar as RunAnswer).calls;
    expect(JSON.parse(asked?.arguments ?? 'null')).toEqual({ file_path: 'a.txt', changes: [change] });
    await lamb.call(teacher, 'DELETE', `/lamb/v1/assistants/${other.id}`);
    const callId = await findWaitingCall(teacher, id);
    await lamb.call(teacher, 'POST', `/lamb/v1/runs/${id}/calls/${callId}/decision`, { decision: 'approved' });
    await expect.poll(statusOf).toBe('finished');
    expect(JSON.stringify(lamb.llm.requests.at(-1)?.body)).toContain('may no longer use this assistant');
  });

  test('takes one decision about a call that waits, and says of others why not', async () => {
    const change = { line_start: 1, line_end: 1, old_content: 'a', new_content: 'b' };
    lamb.llm.script(
      { toolCalls: [{ name: 'patch_file', arguments: { file_path: 'a.txt', changes: [change] } }] },
      { text: 'Then not.', when: { contains: '"role":"tool"' } },
    );
    const runId = await startRun();
    const statusOf = async () => (await lamb.call(student, 'GET', `/lamb/v1/runs/${runId}`)).body as unknown;
    await expect.poll(statusOf).toMatchObject({ status: 'waiting' });
    const waiting = await findWaitingCall(student, runId);
    const decide = (callId: string, decision: string) =>
      lamb.call(student, 'POST', `/lamb/v1/runs/${runId}/calls/${callId}/decision`, { decision });
    expect(await decide('call_x', 'approved')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await decide(waiting, 'rejected')).toMatchObject({ status: 202 });
    expect(await decide(waiting, 'rejected')).toMatchObject({ status: 202 });
    const contradicted = { status: 409, body: { code: 'already_decided', details: { decision: 'rejected' } } };
    expect(await decide(waiting, 'approved')).toMatchObject(contradicted);
    await expect.poll(statusOf).toMatchObject({ status: 'finished' });
    expect(await decide(waiting, 'approved')).toMatchObject(contradicted);
    expect(await decide('call_x', 'approved')).toMatchObject({ status: 404 });
  });

  test('that was cancelled waits for no decision', async () => {
    const change = { line_start: 1, line_end: 1, old_content: 'a', new_content: 'b' };
    lamb.llm.script({ toolCalls: [{ name: 'patch_file', arguments: { file_path: 'a.txt', changes: [change] } }] });
    const runId = await startRun();
    const statusOf = async () => (await lamb.call(student, 'GET', `/lamb/v1/runs/${runId}`)).body as unknown;
    await expect.poll(statusOf).toMatchObject({ status: 'waiting' });
    const waiting = await findWaitingCall(student, runId);
    await lamb.call(student, 'POST', `/lamb/v1/runs/${runId}/cancel`, {});
    const path = `/lamb/v1/runs/${runId}/calls/${waiting}/decision`;
    expect(await lamb.call(student, 'POST', path, { decision: 'approved' })).toMatchObject({ status: 404 });
  });

  test('of somebody else is not there, in whatever organisation and by whatever door', async () => {
    lamb.llm.script({ tokens: 3 });
    const runId = await startRun();
    const strangers = [lamb.north.teacher, lamb.north.colleague, lamb.north.admin, lamb.south.student];
    const doors = [
      ['GET', ''],
      ['GET', '/events'],
      ['POST', '/cancel'],
      ['POST', '/calls/call_1/decision'],
    ] as const;
    for (const stranger of strangers) {
      for (const [method, door] of doors) {
        const body = method === 'POST' ? { decision: 'approved' } : undefined;
        const theirs = await lamb.call(stranger, method, `/lamb/v1/runs/${runId}${door}`, body);
        const none = await lamb.call(stranger, method, `/lamb/v1/runs/${UNKNOWN}${door}`, body);
        expect([theirs.status, { ...theirs.body, request_id: '' }]).toEqual([404, { ...none.body, request_id: '' }]);
      }
    }
    expect((await readAll(runId)).at(-1)?.type).toBe('run.finished');
  });
});

async function findWaitingCall(person: Person, runId: string): Promise<string> {
  const response = await fetch(`${lamb.url}/lamb/v1/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${person.key}`, accept: 'application/json' },
  });
  const { events } = (await response.json()) as { events: RunEvent[] };
  const asked = events.find((event) => event.type === 'call.approval_required');
  if (!asked) throw new Error('No call waits.');
  return asked.call_id;
}

describe('a chat', () => {
  async function begin(): Promise<string> {
    const { status, body } = await lamb.call(student, 'POST', '/lamb/v1/chats', { assistant_id: assistant.id });
    expect(status).toBe(201);
    return (body as { id: string }).id;
  }
  async function say(chatId: string, content: string): Promise<string> {
    const { status, body } = await lamb.call(student, 'POST', `/lamb/v1/chats/${chatId}/turns`, { content });
    expect([status, body]).toMatchObject([202, { chat_id: chatId, status: 'running' }]);
    return (body as { id: string }).id;
  }
  const read = async (chatId: string) =>
    (await lamb.call(student, 'GET', `/lamb/v1/chats/${chatId}`)).body as {
      messages: { message: { role: string; content: string }; run_id: string }[];
    };
  const isOver = async (runId: string) =>
    ((await lamb.call(student, 'GET', `/lamb/v1/runs/${runId}`)).body as { status: string }).status === 'finished';

  test('keeps what was said and answered, once each and in order, and the next turn knows it', async () => {
    lamb.llm.script({ text: 'Hello, you.' }, { text: 'You said hello.' });
    const chatId = await begin();
    const first = await say(chatId, 'Hello');
    await readAll(first);
    await expect.poll(() => isOver(first)).toBe(true);
    const second = await say(chatId, 'What did I say?');
    await readAll(second);
    await expect.poll(() => isOver(second)).toBe(true);
    const { messages } = await read(chatId);
    expect(messages.map(({ message, run_id }) => [message.role, message.content, run_id])).toEqual([
      ['user', 'Hello', first],
      ['assistant', 'Hello, you.', first],
      ['user', 'What did I say?', second],
      ['assistant', 'You said hello.', second],
    ]);
    const asked = lamb.llm.requests.at(-1)?.body as { messages: { role: string; content: string }[] };
    expect(asked.messages.filter(({ role }) => role !== 'system')).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello, you.' },
      { role: 'user', content: 'What did I say?' },
    ]);
  });

  test('with an answer that comes at once has it after the question', async () => {
    const chatIds = await Promise.all(Array.from({ length: 10 }, begin));
    lamb.llm.script({ text: 'At once.', times: 'always' });
    const runIds = await Promise.all(chatIds.map((chatId) => say(chatId, 'Quick')));
    await Promise.all(runIds.map((runId) => expect.poll(() => isOver(runId)).toBe(true)));
    for (const chatId of chatIds) {
      const { messages } = await read(chatId);
      expect(messages.map(({ message }) => message.role)).toEqual(['user', 'assistant']);
    }
  });

  test('of somebody else is not there', async () => {
    const chatId = await begin();
    const mine = await say(chatId, 'Mine');
    await expect.poll(() => isOver(mine)).toBe(true);
    for (const stranger of [lamb.north.teacher, lamb.north.admin, lamb.south.student]) {
      for (const [method, door, body] of [
        ['GET', '', undefined],
        ['DELETE', '', undefined],
        ['POST', '/turns', { content: 'Hello' }],
      ] as const) {
        expect((await lamb.call(stranger, method, `/lamb/v1/chats/${chatId}${door}`, body)).status).toBe(404);
      }
      const listed = (await lamb.call(stranger, 'GET', '/lamb/v1/chats')).body as { items: { id: string }[] };
      expect(listed.items.map(({ id }) => id)).not.toContain(chatId);
    }
    expect((await read(chatId)).messages).toHaveLength(2);
    expect(lamb.llm.requests).toHaveLength(1);
  });
});
