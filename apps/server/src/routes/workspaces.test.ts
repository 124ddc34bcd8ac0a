import { WorkspaceFileText, WorkspaceResource } from '@lamb/contract';
import { withTenant } from '@lamb/store';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeKey, startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { send } from './__fixtures__/send.ts';

let lamb: TestServer;
let root: string;
let assistantId: number;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(async () => {
  await lamb.stop();
});
beforeEach(async () => {
  assistantId = await makeAssistant(`Editor ${Math.random()}`);
  root = `/lamb/v1/assistants/${assistantId}/workspace`;
});

async function makeAssistant(name: string): Promise<number> {
  const created = await lamb.call(lamb.north.teacher, 'POST', '/lamb/v1/assistants', { name });
  const { id } = created.body as { id: number };
  await lamb.call(lamb.north.teacher, 'PUT', `/lamb/v1/assistants/${id}/publication`);
  return id;
}

const fileAt = (path: string) => `${root}/files?path=${encodeURIComponent(path)}`;
const put = (person: Person, path: string, body: unknown) => lamb.call(person, 'PUT', fileAt(path), body);
const list = async (person: Person) => WorkspaceResource.parse((await lamb.call(person, 'GET', root)).body);
const versionOf = (reply: { body: unknown }) => (reply.body as { version: number }).version;

describe('a workspace over HTTP', () => {
  it('holds a student’s files, with what they were before', async () => {
    const { student } = lamb.north;
    expect(await list(student)).toEqual({ quota_bytes: 20_000_000, used_bytes: 0, files: [] });
    const first = await put(student, 'src/main.py', { text: 'print(1)\r\n' });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ path: 'src/main.py', size: 10, call: null });
    const second = await put(student, 'src/main.py', { text: 'print(2)', version: versionOf(first) });
    const read = await lamb.call(student, 'GET', fileAt('src/main.py'));
    expect(WorkspaceFileText.parse(read.body)).toEqual({ ...second.body, text: 'print(2)' });
    expect(await list(student)).toMatchObject({ used_bytes: 18, files: [second.body] });
    const backups = await lamb.call(student, 'GET', `${root}/backups?path=src/main.py`);
    expect(backups.body).toEqual({ items: [first.body] });

    const back = { path: 'src/main.py', version: versionOf(first) };
    expect((await lamb.call(student, 'POST', `${root}/restore`, back)).status).toBe(200);
    expect((await lamb.call(student, 'GET', fileAt('src/main.py'))).body).toMatchObject({ text: 'print(1)\r\n' });
    const missing = await lamb.call(student, 'POST', `${root}/restore`, { ...back, version: 999 });
    expect(missing.body).toMatchObject({ title: 'There is no version 999 of “src/main.py” to bring back.' });

    expect((await lamb.call(student, 'DELETE', `${root}/backups?path=src/main.py`)).status).toBe(204);
    expect(await list(student)).toMatchObject({ used_bytes: 10 });
    expect((await lamb.call(student, 'DELETE', fileAt('src/main.py'))).status).toBe(204);
    expect((await lamb.call(student, 'DELETE', fileAt('src/main.py'))).status).toBe(404);
    expect((await lamb.call(student, 'GET', fileAt('src/main.py'))).status).toBe(404);
    expect(await list(student)).toMatchObject({ used_bytes: 0, files: [] });
  });

  it('does not overwrite what it has not seen', async () => {
    const { student } = lamb.north;
    const first = await put(student, 'a.md', { text: 'one' });
    await put(student, 'a.md', { text: 'two' });
    const stale = await put(student, 'a.md', { text: 'mine', version: versionOf(first) });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({ code: 'stale_update' });
    expect((await put(student, 'new.md', { text: 'mine', version: 7 })).status).toBe(409);
    expect((await lamb.call(student, 'GET', fileAt('a.md'))).body).toMatchObject({ text: 'two' });
  });

  it('is not made by looking', async () => {
    const { teacher, id } = lamb.north;
    for (const path of ['', '/files?path=a.md', '/backups?path=a.md', '/archive']) {
      await lamb.call(teacher, 'GET', root + path);
    }
    const rows = await withTenant(lamb.services.db, id, (tx) =>
      tx.selectFrom('lamb.workspaces').select('id').where('assistant_id', '=', assistantId).execute(),
    );
    expect(rows).toEqual([]);
  });
});

describe('whose it is', () => {
  const everything = (id: number): [method: string, path: string, body?: unknown][] => {
    const base = `/lamb/v1/assistants/${id}/workspace`;
    return [
      ['GET', base],
      ['GET', `${base}/files?path=a.md`],
      ['PUT', `${base}/files?path=a.md`, { text: 'x' }],
      ['DELETE', `${base}/files?path=a.md`],
      ['GET', `${base}/backups?path=a.md`],
      ['DELETE', `${base}/backups?path=a.md`],
      ['POST', `${base}/restore`, { path: 'a.md', version: 1 }],
      ['GET', `${base}/archive`],
    ];
  };

  it('nobody else’s: not the assistant’s owner, nor an administrator, nor another student', async () => {
    const { student, teacher, admin, colleague } = lamb.north;
    await put(student, 'a.md', { text: 'private-7d1' });
    await put(student, 'a.md', { text: 'private-7d1 again' });
    const before = await list(student);
    for (const person of [teacher, admin, colleague]) {
      for (const [method, path, body] of everything(assistantId)) {
        expect((await lamb.call(person, method, path, body)).text).not.toContain('private-7d1');
      }
      const restored = await lamb.call(person, 'POST', `${root}/restore`, { path: 'a.md', version: 1 });
      expect(restored.status).toBe(404);
    }
    expect(await list(student)).toEqual(before);
  });

  it('one person’s of a gateway’s many', async () => {
    const { admin, id: organizationId } = lamb.north;
    const key = await makeKey(lamb.services, { userId: admin.id, organizationId, trustedGateway: true });
    const as = (user: string, method: string, path: string, body?: unknown) =>
      send(lamb, method, path, {
        headers: {
          authorization: `Bearer ${key}`,
          'x-openwebui-user-id': user,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect((await as('ane', 'PUT', fileAt('a.md'), { text: 'of Ane' })).status).toBe(200);
    expect((await as('ane', 'GET', fileAt('a.md'))).body).toMatchObject({ text: 'of Ane' });
    expect((await as('jon', 'GET', fileAt('a.md'))).status).toBe(404);
    expect((await lamb.call(admin, 'GET', fileAt('a.md'))).status).toBe(404);
  });

  it('reached only with an assistant that one may use, as with one that is not there', async () => {
    const { teacher, colleague, student, id: organizationId } = lamb.north;
    await lamb.call(teacher, 'PUT', `/lamb/v1/assistants/${assistantId}/publication`);
    await put(student, 'a.md', { text: 'x' });
    await lamb.call(teacher, 'DELETE', `/lamb/v1/assistants/${assistantId}/publication`);
    const other = await makeKey(lamb.services, {
      userId: teacher.id,
      organizationId,
      assistants: [assistantId + 1000],
    });
    for (const person of [colleague, student, lamb.south.admin, { key: other }]) {
      for (const [index, [method, path, body]] of everything(assistantId).entries()) {
        const refused = await lamb.call(person, method, path, body);
        const [, absent = ''] = everything(999_999)[index] ?? [];
        const missing = await lamb.call(person, method, absent, body);
        expect(refused.status, `${method} ${path}`).toBe(404);
        expect(refused.body).toMatchObject({ code: 'not_found', title: (missing.body as { title: string }).title });
      }
    }
    const own = await makeKey(lamb.services, { userId: teacher.id, organizationId, assistants: [assistantId] });
    expect((await lamb.call({ key: own }, 'GET', root)).status).toBe(200);
  });

  it('another one for each assistant: ids with the same beginning, folders with the same beginning', async () => {
    const { student } = lamb.north;
    await put(student, 'ws1/a.md', { text: 'one' });
    await put(student, 'ws10/a.md', { text: 'ten' });
    expect((await lamb.call(student, 'DELETE', fileAt('ws1'))).status).toBe(404);
    expect((await lamb.call(student, 'DELETE', fileAt('ws1/a.md'))).status).toBe(204);
    expect((await list(student)).files.map(({ path }) => path)).toEqual(['ws10/a.md']);
    for (const path of ['ws1/../ws10/a.md', 'ws1%2f..%2fws10%2fa.md', 'ws10', 'ws1']) {
      expect([400, 404]).toContain((await lamb.call(student, 'GET', `${root}/files?path=${path}`)).status);
    }
    const prefix = Number(String(assistantId).slice(0, -1) || '0');
    const foreign = await lamb.call(student, 'GET', `/lamb/v1/assistants/${prefix}/workspace/files?path=ws10/a.md`);
    expect([400, 404]).toContain(foreign.status);
  });
});

/** As they stand in the address, some of them encoded. */
const refusedPaths = [
  '../a.md',
  'a/../../b',
  '/etc/passwd',
  '%2Fetc%2Fpasswd',
  '%2e%2e/a.md',
  '%2e%2e%2fa.md',
  '%252e%252e%252fa.md',
  '..%5ca.md',
  'a%5c..%5cb',
  'C:%5ca.md',
  '.',
  '..',
  'a//b',
  'a/',
  '',
  'a%00.md',
  'a%0a.md',
  'a%E2%80%AE.md',
  '%EF%BC%8E%EF%BC%8E/a.md',
  'e%CC%81.md',
  `${'%C5%BE'.repeat(150)}.md`,
  'a'.repeat(300),
  'a/'.repeat(600) + 'a',
];

describe('a path', () => {
  it.each(refusedPaths)('%s is refused', async (path) => {
    const { student } = lamb.north;
    const replies = await Promise.all([
      lamb.call(student, 'PUT', `${root}/files?path=${path}`, { text: 'x' }),
      lamb.call(student, 'GET', `${root}/files?path=${path}`),
      lamb.call(student, 'DELETE', `${root}/files?path=${path}`),
      lamb.call(student, 'GET', `${root}/backups?path=${path}`),
      lamb.call(student, 'POST', `${root}/restore`, { path: decodeURIComponent(path), version: 1 }),
    ]);
    for (const { status, body } of replies) {
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'invalid_request' });
    }
    expect(await list(student)).toMatchObject({ files: [] });
  });

  it('given twice, or not at all, is refused', async () => {
    const { student } = lamb.north;
    for (const query of ['', '?path=a.md&path=b.md', '?path[]=a.md']) {
      expect((await lamb.call(student, 'PUT', `${root}/files${query}`, { text: 'x' })).status).toBe(400);
    }
  });
});

describe('backups', () => {
  it('are no files: no address and no archive has what one holds', async () => {
    const { student } = lamb.north;
    const first = await put(student, 'a.md', { text: 'old-5c2' });
    await put(student, 'a.md', { text: 'new' });
    const version = versionOf(first);
    const names = ['a.md.bak', 'a.md~', '.a.md', 'a.md.orig', `a.md.${version}`, `a.md@${version}`, `backups/a.md`];
    const addresses = [
      ...names.map(fileAt),
      `${fileAt('a.md')}&version=${version}`,
      `${root}/backups/${version}?path=a.md`,
      `${root}/backups?path=a.md&version=${version}`,
      `${root}/backups?path=a.md`,
      `${root}/archive`,
      root,
    ];
    for (const address of addresses) {
      expect((await lamb.call(student, 'GET', address)).text, address).not.toContain('old-5c2');
    }
    expect((await list(student)).files).toHaveLength(1);
  });

  it('count toward the quota, and the refusal says what to do', async () => {
    const { student, id } = lamb.north;
    await put(student, 'a.md', { text: '12345' });
    await withTenant(lamb.services.db, id, (tx) =>
      tx.updateTable('lamb.workspaces').set({ quota_bytes: 10 }).where('assistant_id', '=', assistantId).execute(),
    );
    expect((await put(student, 'a.md', { text: '54321' })).status).toBe(200);
    const full = await put(student, 'a.md', { text: '1' });
    expect(full.status).toBe(413);
    expect(full.body).toMatchObject({
      title: 'The workspace is full. Delete files or backups first; backups count too.',
      details: { limit: 10, needed: 11 },
    });
    expect((await lamb.call(student, 'GET', fileAt('a.md'))).body).toMatchObject({ text: '54321' });
    await lamb.call(student, 'DELETE', `${root}/backups?path=a.md`);
    expect((await put(student, 'a.md', { text: '1' })).status).toBe(200);
  });
});

describe('what is no text of a workspace', () => {
  it.each([
    ['more than 2 MB', 'x'.repeat(2_000_001), 413],
    ['U+0000', 'a\0b', 400],
    ['half of a character', 'a\ud800b', 400],
  ])('%s', async (_what, text, status) => {
    expect((await put(lamb.north.student, 'a.md', { text })).status).toBe(status);
    expect(await list(lamb.north.student)).toMatchObject({ files: [] });
  });
});

describe('the archive', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'workspace-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const hasUnzip = spawnSync('unzip', ['-v']).status === 0;

  it.skipIf(!hasUnzip)('has every file under its path', async () => {
    const { student } = lamb.north;
    const files = { 'src/main.py': 'print(1)\n', 'ž.md': 'žluťoučký', 'empty.txt': '' };
    for (const [path, text] of Object.entries(files)) await put(student, path, { text });
    const response = await fetch(`${lamb.url}${root}/archive`, {
      headers: { authorization: `Bearer ${student.key}` },
    });
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="workspace.zip"');
    const path = join(folder, 'workspace.zip');
    writeFileSync(path, Buffer.from(await response.arrayBuffer()));
    expect(spawnSync('unzip', ['-t', path], { encoding: 'utf8' }).stdout).toContain('No errors detected');
    spawnSync('unzip', ['-q', path, '-d', folder], { env: { LC_ALL: 'C.UTF-8' } });
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });
});
