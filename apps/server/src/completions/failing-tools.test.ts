import type { ServerFault } from '@lamb/testing';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, testOrganizationConfig, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { createRubric } from './__fixtures__/create-rubric.ts';
import { streamCompletion } from './__fixtures__/stream-completion.ts';
import { uploadFile } from './__fixtures__/upload-file.ts';

const FALLBACK = 'Nothing was found; say so.';
const SYLLABUS = 'Week 1: forces.';

let lamb: TestServer;
/** An address that may be called and where nobody listens. */
let nobody: string;
let collection: string;

beforeAll(async () => {
  nobody = await findUnusedAddress();
  lamb = await startTestServer({ LAMB_OUTBOUND_ALLOW: nobody });
  const { teacher } = lamb.north;
  collection = String(lamb.kb.addCollection('notes', [{ text: 'A force changes motion.' }]));
  await uploadFile(lamb, teacher, 'syllabus.md', SYLLABUS);
});
afterAll(async () => lamb.stop());
beforeEach(async () => {
  lamb.llm.reset();
  lamb.kb.reset();
  await configure({});
});

async function findUnusedAddress(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return `127.0.0.1:${port}`;
}

async function configure(change: Record<string, unknown>): Promise<void> {
  const config = { ...testOrganizationConfig(lamb.llm, lamb.kb), ...change };
  const stored = await lamb.call(lamb.north.admin, 'PUT', '/lamb/v1/organizations/current/config', config);
  expect(stored.status).toBe(200);
}

/** Asks an assistant with the failing tool and one that works, and gives what a client and the model got to see. */
async function turnWith(tool: { type: string; config: Record<string, unknown>; timeout_ms?: number }) {
  const { model, id } = await createAssistant(lamb, lamb.north.teacher, {
    name: `Assistant ${crypto.randomUUID()}`,
    prompt_template: 'Found:{found}File:{file}Question:{user_input}',
    tools: [
      { ...tool, placeholder: 'found', fallback: FALLBACK },
      { type: 'single_file_rag', config: { file_path: 'syllabus.md' } },
    ],
    published: true,
  });
  lamb.llm.script({ text: 'Here is your answer.' });
  const { events, text, done } = await streamCompletion(lamb, lamb.north.student, {
    model,
    messages: [{ role: 'user', content: 'What is a force?' }],
  });
  const finished = (placeholder: string) =>
    events.find((event) => event.type === 'tool.finished' && event.placeholder === placeholder);
  const body = lamb.llm.requests.at(-1)?.body as { messages: { content: string }[] } | undefined;
  return {
    id,
    answered: done && text === 'Here is your answer.',
    failed: finished('found'),
    other: finished('file'),
    statuses: events.flatMap((event) => (event.type === 'status' ? [event.text] : [])),
    prompt: body?.messages.at(-1)?.content,
  };
}

const withFallback = `Found:\n\n${FALLBACK}\n\nFile:\n\n${SYLLABUS}\n\nQuestion:\n\nWhat is a force?\n\n`;

type Turn = Awaited<ReturnType<typeof turnWith>>;

function expectAnswerWithout(turn: Turn, tool: string, problem: { code: string; message: string }): void {
  expect(turn.failed).toMatchObject({ ok: false, chars: FALLBACK.length, problem });
  expect(turn.other).toMatchObject({ ok: true, chars: SYLLABUS.length });
  expect(turn.other).not.toHaveProperty('problem');
  expect(turn.statuses).toContain(`${tool} failed`);
  expect(turn.statuses).toContain('single_file_rag completed');
  expect(turn.prompt).toBe(withFallback);
  expect(turn.answered).toBe(true);
}

describe('the knowledge base', () => {
  const search = (more: Partial<{ timeout_ms: number }> = {}) => ({
    type: 'simple_rag',
    config: { collections: [collection] },
    ...more,
  });
  const unasked = (why: string) => ({
    code: 'failed',
    message: `Collection ${collection} could not be queried: ${why}.`,
  });

  test('is our own, and has no such collection', async () => {
    await configure({ kb_server: {} });
    const message = `There is no collection ${collection} that the owner of the assistant may search.`;
    expectAnswerWithout(await turnWith(search()), 'simple_rag', { code: 'failed', message });
    expect(lamb.kb.requests).toEqual([]);
  });

  test('is down', async () => {
    await configure({ kb_server: { url: `http://${nobody}`, api_key: 'x' } });
    const problem = unasked('the knowledge-base server cannot be reached');
    expectAnswerWithout(await turnWith(search()), 'simple_rag', problem);
  });

  test('is at an address that may not be called', async () => {
    await configure({ kb_server: { url: 'http://169.254.169.254/', api_key: 'x' } });
    const problem = unasked(
      "the knowledge-base server's address is not allowed; an administrator of the organisation or the operator can change that",
    );
    expectAnswerWithout(await turnWith(search()), 'simple_rag', problem);
  });

  test('does not accept the key', async () => {
    await configure({ kb_server: { url: lamb.kb.url, api_key: 'wrong' } });
    const problem = unasked("the knowledge-base server did not accept the organisation's key");
    expectAnswerWithout(await turnWith(search()), 'simple_rag', problem);
  });

  test('has no such collection', async () => {
    const turn = await turnWith({ type: 'simple_rag', config: { collections: ['999'] } });
    const message = 'Collection 999 could not be queried: the knowledge-base server has no such collection.';
    expectAnswerWithout(turn, 'simple_rag', { code: 'failed', message });
  });

  test.each<[string, ServerFault, string]>([
    ['fails', { status: 500, times: 'always' }, 'the knowledge-base server answered with status 500'],
    ['talks nonsense', { garbage: true }, 'the knowledge-base server gave an answer that cannot be read'],
  ])('%s', async (_what, fault, why) => {
    lamb.kb.fail(fault);
    expectAnswerWithout(await turnWith(search()), 'simple_rag', unasked(why));
  });

  test.each<[string, ServerFault]>([
    ['is slow', { delayMs: 5000 }],
    ['hangs', { hang: true }],
  ])('%s: the turn waits as long as the creator said, and hangs up', async (_what, fault) => {
    lamb.kb.fail(fault);
    const turn = await turnWith(search({ timeout_ms: 200 }));
    expectAnswerWithout(turn, 'simple_rag', { code: 'timeout', message: 'It took longer than 200 ms.' });
    expect(turn.failed).toMatchObject({ milliseconds: expect.toSatisfy((ms: number) => ms >= 199 && ms < 1000) });
    expect(lamb.kb.requests[0]).toHaveProperty('closedEarlyAt');
  });

  test('answers for one collection and not for another: what was found is used, and the event says what is missing', async () => {
    const turn = await turnWith({ type: 'simple_rag', config: { collections: [collection, '999'] } });
    expect(turn.answered).toBe(true);
    expect(turn.prompt).toContain('Found:\n\nA force changes motion.\n\nFile:');
    expect(turn.failed).toMatchObject({
      ok: false,
      problem: {
        code: 'failed',
        message: 'Collection 999 could not be queried: the knowledge-base server has no such collection.',
      },
    });
  });
});

describe('a rubric', () => {
  const missing = (id: string) => ({
    code: 'failed',
    message: `Rubric ${id} was not found or is not accessible to the assistant's owner.`,
  });

  test.each(['00000000-0000-4000-8000-000000000000', '4711', 'no-such-rubric'])('that is not there: %s', async (id) => {
    expectAnswerWithout(await turnWith({ type: 'rubric_rag', config: { rubric_id: id } }), 'rubric_rag', missing(id));
  });

  test('that was deleted, and one that is a colleague’s own', async () => {
    const deleted = await createRubric(lamb, lamb.north.teacher, 'Gone');
    await lamb.call(lamb.north.teacher, 'DELETE', `/lamb/v1/rubrics/${deleted.id}`);
    const foreign = await createRubric(lamb, lamb.north.colleague, 'Not yours');
    for (const { id } of [deleted, foreign]) {
      expectAnswerWithout(await turnWith({ type: 'rubric_rag', config: { rubric_id: id } }), 'rubric_rag', missing(id));
    }
  });
});

describe('a file', () => {
  const read = (file_path: string) => turnWith({ type: 'single_file_rag', config: { file_path } });

  test('that is not there', async () => {
    const message = "File no/such.md was not found or is not accessible to the assistant's owner.";
    expectAnswerWithout(await read('no/such.md'), 'single_file_rag', { code: 'failed', message });
  });

  test('that is a colleague’s', async () => {
    await uploadFile(lamb, lamb.north.colleague, 'theirs.md', 'theirs');
    const message = "File theirs.md was not found or is not accessible to the assistant's owner.";
    expectAnswerWithout(await read('theirs.md'), 'single_file_rag', { code: 'failed', message });
  });

  test.each([
    ['an image', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])],
    ['a PDF', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj', 'latin1')],
    ['text in an old encoding', Buffer.from('La niña estudió física', 'latin1')],
  ])('that is %s', async (what, content) => {
    const path = `${what}.bin`;
    await uploadFile(lamb, lamb.north.teacher, path, content);
    const message = 'The file is not plain text in UTF-8. Save it as such and upload it again.';
    expectAnswerWithout(await read(path), 'single_file_rag', { code: 'failed', message });
  });

  test('that is longer than allowed is cut between characters', async () => {
    await uploadFile(lamb, lamb.north.teacher, 'long.md', 'ñ€😀'.repeat(100));
    const notice = (chars: number) => `[Only the first ${chars} characters of this file are shown.]`;
    for (const [max_chars, kept] of [
      [5, 'ñ€😀ñ'],
      [3, 'ñ€'],
    ] as const) {
      const turn = await turnWith({ type: 'single_file_rag', config: { file_path: 'long.md', max_chars } });
      expect(turn.failed).toMatchObject({ ok: true });
      expect(turn.prompt).toContain(`Found:\n\n${kept}\n\n${notice(max_chars)}\n\nFile:`);
    }
  });
});

test('a reply in one piece names what failed', async () => {
  lamb.kb.fail({ status: 503, times: 'always' });
  const { id } = await turnWith({ type: 'simple_rag', config: { collections: [collection] } });
  const { status, body } = await lamb.call(lamb.north.student, 'POST', `/lamb/v1/completions?assistant=${id}`, {
    messages: [{ role: 'user', content: 'What is a force?' }],
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    lamb: {
      problems: [
        {
          tool: 'simple_rag',
          placeholder: 'found',
          code: 'failed',
          message: `Collection ${collection} could not be queried: the knowledge-base server answered with status 503.`,
        },
      ],
    },
  });
});
