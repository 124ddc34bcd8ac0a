import { ToolFailure } from '@lamb/plugin-kit';
import { withTenant } from '@lamb/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { openWorkspace } from './open-workspace.ts';

let lamb: TestServer;
let assistantId: number;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(async () => {
  await lamb.stop();
});
beforeEach(async () => {
  lamb.llm.reset();
  const created = await lamb.call(lamb.north.teacher, 'POST', '/lamb/v1/assistants', {
    name: `Editor ${Math.random()}`,
    metadata: {
      assistant_type: 'multi_tool',
      tools: [{ type: 'patch_file', mode: 'function', enabled: true, approval: false, config: {} }],
    },
  });
  expect(created.status).toBe(201);
  assistantId = (created.body as { id: number }).id;
  await lamb.call(lamb.north.teacher, 'PUT', `/lamb/v1/assistants/${assistantId}/publication`);
});

const fileAt = (path: string) => `/lamb/v1/assistants/${assistantId}/workspace/files?path=${path}`;
const upload = async (person: Person, path: string, text: string) => {
  expect((await lamb.call(person, 'PUT', fileAt(path), { text })).status).toBe(200);
};
const textOf = async (person: Person, path: string) =>
  ((await lamb.call(person, 'GET', fileAt(path))).body as { text: string }).text;
const change = (line_start: number, line_end: number, old_content: string, new_content: string) => ({
  line_start,
  line_end,
  old_content,
  new_content,
});

async function ask(person: Person) {
  return await lamb.call(person, 'POST', `/lamb/v1/completions?assistant=${assistantId}`, {
    messages: [{ role: 'user', content: 'Improve it' }],
  });
}

/** Lets the model make these calls, and gives what it was told of each. */
async function patch(person: Person, ...calls: { file_path: string; changes: unknown[] }[]): Promise<string[]> {
  lamb.llm.script({ toolCalls: calls.map((call) => ({ name: 'patch_file', arguments: call })) }, { text: 'Done.' });
  const reply = await ask(person);
  expect(reply.status).toBe(200);
  const { messages } = lamb.llm.requests.at(-1)?.body as { messages: { role: string; content: string }[] };
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

describe('patch_file through the server', () => {
  it('changes the student’s own file, keeps what it was, and tells which call it was', async () => {
    const { student, teacher } = lamb.north;
    await upload(student, 'example.py', 'def old_func():\r\n    pass\r\n');
    await upload(teacher, 'example.py', 'def old_func():\n    pass\n');
    const [told] = await patch(student, {
      file_path: 'example.py',
      changes: [change(1, 2, 'def old_func():\n    pass', 'def new_func():\n    return 1')],
    });
    expect(told).toContain('example.py: 1 change made. It now has 2 lines.\n\n--- a/example.py\n+++ b/example.py\n');
    expect(await textOf(student, 'example.py')).toBe('def new_func():\r\n    return 1\r\n');
    expect(await textOf(teacher, 'example.py'), 'another person’s file').toBe('def old_func():\n    pass\n');
    const path = `/lamb/v1/assistants/${assistantId}/workspace/backups?path=example.py`;
    expect((await lamb.call(student, 'GET', path)).body).toMatchObject({ items: [{ size: 27, call: null }] });
    const file = await lamb.call(student, 'GET', fileAt('example.py'));
    expect((file.body as { call: string }).call).toMatch(/^[0-9a-f-]{36}:./);
  });

  it('refuses what does not fit, and the model can do better', async () => {
    const { student } = lamb.north;
    const text = 'def func1():\n    pass\n\ndef func2():\n    pass\n\n# comment\n';
    await upload(student, 'f.py', text);
    const tell = async (...changes: unknown[]) => (await patch(student, { file_path: 'f.py', changes }))[0];
    expect(await tell(change(8, 8, '', '# more'))).toContain('Invalid line range 8-8: the file has 7 lines.');
    expect(await tell(change(2, 2, 'pass', '1'))).toMatch(/2: {5}pass\n[^]*Content mismatch at lines 2-2/);
    expect(await tell(change(1, 2, 'def func1():\n    pass', ''), change(2, 3, '', ''))).toContain(
      'Overlapping changes: lines 1-2 and lines 2-3',
    );
    expect(await patch(student, { file_path: '../f.py', changes: [change(1, 1, 'x', 'y')] })).toEqual([
      expect.stringMatching(/^The arguments are not valid\. file_path: A file path is relative/),
    ]);
    expect(await patch(student, { file_path: 'none.py', changes: [change(1, 1, 'x', 'y')] })).toEqual([
      'File not found: none.py. The person must put it into the workspace first.',
    ]);
    expect(await textOf(student, 'f.py')).toBe(text);
  });

  it('refuses what is too large for the file and for the workspace', async () => {
    const { student, id } = lamb.north;
    await upload(student, 'big.txt', `${'x'.repeat(1_900_000)}\na\n`);
    expect(await patch(student, { file_path: 'big.txt', changes: [change(2, 2, 'a', 'y'.repeat(200_000))] })).toEqual([
      expect.stringContaining('The file would be larger than 2 MB.'),
    ]);
    await withTenant(lamb.services.db, id, (tx) =>
      tx
        .updateTable('lamb.workspaces')
        .set({ quota_bytes: 2_000_000 })
        .where('assistant_id', '=', assistantId)
        .execute(),
    );
    expect(await patch(student, { file_path: 'big.txt', changes: [change(2, 2, 'a', 'b')] })).toEqual([
      'The workspace is full. Delete files or backups first; backups count too.',
    ]);
    expect((await textOf(student, 'big.txt')).endsWith('\na\n')).toBe(true);
  });

  it('of many calls at the same time, whatever is said to be done is in the file, whole', async () => {
    const { student } = lamb.north;
    const lines = Array.from({ length: 6 }, (_, n) => `line ${n + 1}`);
    await upload(student, 'a.txt', `${lines.join('\n')}\n`);
    const replacement = (n: number) => Array.from({ length: 50 }, () => `writer ${n}`).join('\n');
    const told = await patch(
      student,
      ...lines.map((line, n) => ({ file_path: 'a.txt', changes: [change(n + 1, n + 1, line, replacement(n))] })),
    );
    const outcomes = told.map((text) => (text.includes('1 change made') ? 'made' : text));
    const refused = outcomes.filter((outcome) => outcome !== 'made');
    for (const outcome of refused)
      expect(outcome).toMatch(/was changed by someone else meanwhile|Content mismatch|Invalid line range/);
    const text = await textOf(student, 'a.txt');
    for (const [n, outcome] of outcomes.entries()) {
      expect(text.includes(`${replacement(n)}\n`), `writer ${n}: ${outcome}`).toBe(outcome === 'made');
      expect(text.includes(`${lines[n] ?? ''}\n`)).toBe(outcome !== 'made');
    }
    expect(outcomes).toContain('made');
  });

  it('two that read the same version: one wins, the other is told', async () => {
    const { student } = lamb.north;
    await upload(student, 'a.txt', 'one\n');
    const principal = await principalOf(student);
    const open = (call: string) => openWorkspace(lamb.services.db, { principal, assistantId, call });
    const { signal } = new AbortController();
    const file = await open('r:1').read('a.txt', signal);
    if (!file) throw new Error('There is no file.');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => open(`r:${n}`).replace({ ...file, text: `writer ${n}\n` }, signal)),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refused).toHaveLength(9);
    expect(refused[0]).toEqual(
      new ToolFailure('a.txt was changed by someone else meanwhile. Nothing was written; look again first.'),
    );
    expect(await textOf(student, 'a.txt')).toBe(
      `writer ${outcomes.findIndex(({ status }) => status === 'fulfilled')}\n`,
    );
    await expect(open('r:1').replace(file, AbortSignal.abort())).rejects.toThrow('aborted');
    await expect(open('r:1').read('../a.txt', signal)).rejects.toThrow(ToolFailure);

    await lamb.call(lamb.north.teacher, 'DELETE', `/lamb/v1/assistants/${assistantId}/publication`);
    await expect(open('r:2').read('a.txt', signal), 'no longer theirs to use').rejects.toThrow(ToolFailure);
  });
});

async function principalOf(person: Person) {
  const headers = { authorization: `Bearer ${person.key}` };
  const principal = await lamb.services.authenticator.authenticate({ headers, method: 'GET' });
  if (!principal) throw new Error('Nobody is there.');
  return principal;
}
