import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAssistant } from './assistants.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import type { TenantTx } from './with-tenant.ts';
import {
  deleteWorkspaceBackups,
  deleteWorkspaceFile,
  listWorkspaceBackups,
  listWorkspaceFiles,
  putWorkspaceFile,
  readWorkspaceFile,
  readWorkspaceFiles,
  replaceWorkspaceFile,
  restoreWorkspaceFile,
} from './workspace-files.ts';
import { ensureWorkspace, findWorkspace, sumWorkspace, type WorkspaceKey } from './workspaces.ts';

let store: TestStore;
let tenant: TestTenant;
let key: WorkspaceKey;
let id: string;

beforeAll(async () => {
  store = await openTestStore({ maxConnections: 12 });
});

afterAll(() => store.close());

beforeEach(async () => {
  tenant = await store.addTenant();
  const assistant = await tenant.run((tx) => createAssistant(tx, { ownerId: tenant.teacherId, name: 'Tutor' }));
  key = { assistantId: assistant.id, userId: tenant.teacherId, endUser: tenant.teacherId };
  id = (await tenant.run((tx) => ensureWorkspace(tx, key))).id;
});

const put = (path: string, content: string) =>
  tenant.run((tx) => putWorkspaceFile(tx, id, { path, content, writtenBy: tenant.teacherId }));
const replace = (path: string, content: string, expectedVersion: number, call?: string) =>
  tenant.run((tx) =>
    replaceWorkspaceFile(tx, id, { path, content, expectedVersion, call, writtenBy: tenant.teacherId }),
  );
const read = (path: string) => tenant.run((tx) => readWorkspaceFile(tx, id, path));
const backups = (path: string) => tenant.run((tx) => listWorkspaceBackups(tx, id, path));
const used = () => tenant.run((tx) => sumWorkspace(tx, id));

describe('a workspace', () => {
  test('is one person’s with one assistant', async () => {
    const find = (values: Partial<WorkspaceKey>) => tenant.run((tx) => findWorkspace(tx, { ...key, ...values }));
    expect(await find({})).toEqual({ id, quotaBytes: 20_000_000 });
    for (const other of [{ userId: tenant.colleagueId }, { endUser: 'student@example.org' }]) {
      expect(await find(other)).toBeUndefined();
      const made = await tenant.run((tx) => ensureWorkspace(tx, { ...key, ...other }));
      expect(made.id).not.toBe(id);
      expect(await find(other)).toEqual(made);
    }
    expect(await find({})).toEqual({ id, quotaBytes: 20_000_000 });
  });

  test('is made once, however many ask at the same time', async () => {
    const fresh = { ...key, endUser: 'new' };
    const made = await Promise.all(Array.from({ length: 10 }, () => tenant.run((tx) => ensureWorkspace(tx, fresh))));
    expect(new Set(made.map((workspace) => workspace.id)).size).toBe(1);
  });

  test('cannot be seen or written from another organisation, nor made for its assistants', async () => {
    const { version } = await put('a.md', 'one');
    const other = await store.addTenant();
    const writtenBy = other.teacherId;
    expect(await other.run((tx) => findWorkspace(tx, key))).toBeUndefined();
    expect(await other.run((tx) => listWorkspaceFiles(tx, id))).toEqual([]);
    expect(await other.run((tx) => readWorkspaceFile(tx, id, 'a.md'))).toBeUndefined();
    const write = (tx: TenantTx) =>
      replaceWorkspaceFile(tx, id, { path: 'a.md', content: 'two', expectedVersion: version, writtenBy });
    await expect(other.run(write)).rejects.toMatchObject({ code: 'not_found' });
    await expect(other.run((tx) => deleteWorkspaceFile(tx, id, 'a.md'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(other.run((tx) => ensureWorkspace(tx, key))).rejects.toThrow('foreign key');
    expect((await read('a.md'))?.content).toBe('one');
  });
});

describe('a file', () => {
  test('comes back as it was written, and each version before it is kept with who and which call', async () => {
    const text = 'První řádek\r\nsecond 🐑\n\tthird without an end';
    const first = await put('notes/a.md', text);
    expect(await read('notes/a.md')).toEqual({ ...first, content: text });
    expect(first).toMatchObject({ size: Buffer.byteLength(text), call: null, writtenBy: tenant.teacherId });
    const second = await replace('notes/a.md', 'two', first.version, 'run:call_1');
    expect(second).toMatchObject({ path: 'notes/a.md', size: 3, call: 'run:call_1' });
    const third = await put('notes/a.md', 'three');
    expect(await backups('notes/a.md')).toEqual([second, first]);
    expect(await used()).toBe(first.size + 3 + 5);
    const restored = await tenant.run((tx) =>
      restoreWorkspaceFile(tx, id, { path: 'notes/a.md', version: first.version, writtenBy: tenant.colleagueId }),
    );
    expect(restored).toMatchObject({ writtenBy: tenant.colleagueId, size: first.size });
    expect((await read('notes/a.md'))?.content).toBe(text);
    expect(await backups('notes/a.md')).toEqual([third, second, first]);
  });

  test('is listed by path, and read with all the others', async () => {
    await put('b.md', 'b');
    await put('a/z.md', 'z');
    expect((await tenant.run((tx) => listWorkspaceFiles(tx, id))).map(({ path }) => path)).toEqual(['a/z.md', 'b.md']);
    const all = await tenant.run((tx) => readWorkspaceFiles(tx, id));
    expect(all.map(({ path, content }) => [path, content])).toEqual([
      ['a/z.md', 'z'],
      ['b.md', 'b'],
    ]);
  });

  test('that changed meanwhile, or is gone, is not replaced and leaves no backup', async () => {
    const { version } = await put('a.md', 'one');
    const next = await put('a.md', 'two');
    expect(await replace('a.md', 'mine', version)).toBeUndefined();
    expect(await read('a.md')).toMatchObject({ content: 'two', version: next.version });
    expect(await backups('a.md')).toHaveLength(1);
    expect(await replace('none.md', 'mine', version)).toBeUndefined();
    expect(await read('none.md')).toBeUndefined();
  });

  test('that was deleted and made anew is another one', async () => {
    const { version } = await put('a.md', 'one');
    await put('a.md', 'two');
    expect(await tenant.run((tx) => deleteWorkspaceFile(tx, id, 'a.md'))).toBe(true);
    expect(await tenant.run((tx) => deleteWorkspaceFile(tx, id, 'a.md'))).toBe(false);
    expect(await used(), 'its backups are gone too').toBe(0);
    const made = await put('a.md', 'other');
    expect(made.version).toBeGreaterThan(version + 1);
    expect(await replace('a.md', 'mine', version)).toBeUndefined();
    expect(await backups('a.md')).toEqual([]);
  });

  test('is replaced by one of many at the same time, never by two', async () => {
    const { version } = await put('a.md', 'zero');
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => replace('a.md', `writer ${n}`, version)));
    const winners = outcomes.flatMap((outcome, n) => (outcome ? [n] : []));
    expect(winners).toHaveLength(1);
    expect((await read('a.md'))?.content).toBe(`writer ${winners[0] ?? ''}`);
    expect(await backups('a.md')).toHaveLength(1);
  });

  test('keeps its last fifty versions', async () => {
    const { version: oldest } = await put('a.md', '0');
    for (let n = 1; n <= 52; n += 1) await put('a.md', String(n));
    const kept = await backups('a.md');
    expect(kept).toHaveLength(50);
    expect(kept.at(-1)?.version).toBe(oldest + 2);
    const restoring = tenant.run((tx) =>
      restoreWorkspaceFile(tx, id, { path: 'a.md', version: oldest, writtenBy: tenant.teacherId }),
    );
    expect(await restoring).toBeUndefined();
  });

  test.each([
    ['U+0000', 'a\0b', 'invalid_request'],
    ['half of a character', 'a\ud800b', 'invalid_request'],
    ['more than 2 MB in one line', 'ž'.repeat(1_000_001), 'payload_too_large'],
    ['50 MB in one line', 'x'.repeat(50_000_000), 'payload_too_large'],
  ])('does not hold %s', async (_what, content, code) => {
    await expect(put('a.md', content)).rejects.toMatchObject({ code });
    const { version } = await put('a.md', 'one');
    await expect(replace('a.md', content, version)).rejects.toMatchObject({ code });
    expect(await read('a.md')).toMatchObject({ content: 'one', version });
    expect(await backups('a.md')).toEqual([]);
  });

  test('holds 2 MB', async () => {
    await put('a.md', 'ž'.repeat(1_000_000));
    expect(await used()).toBe(2_000_000);
  });

  test('is not a folder too', async () => {
    await put('notes/week/a.md', 'a');
    for (const path of ['notes', 'notes/week', 'notes/week/a.md/b.md', 'notes/week/a.md/b/c']) {
      await expect(put(path, 'b')).rejects.toMatchObject({ code: 'name_taken' });
    }
    await put('notes-b', 'b');
    await put('notes/weekly.md', 'b');
  });
});

describe('the quota', () => {
  const setQuota = (bytes: number) =>
    tenant.run((tx) => tx.updateTable('lamb.workspaces').set({ quota_bytes: bytes }).where('id', '=', id).execute());

  test('counts backups, and a write past it changes nothing', async () => {
    await setQuota(10);
    const { version } = await put('a.md', '12345');
    const next = await replace('a.md', '54321', version);
    expect(await used()).toBe(10);
    await expect(put('a.md', '1')).rejects.toMatchObject({
      code: 'payload_too_large',
      details: { limit: 10, needed: 11 },
    });
    await expect(put('b.md', '1')).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(await read('a.md')).toMatchObject({ content: '54321', version: next?.version });
    expect(await backups('a.md')).toHaveLength(1);
    expect(await tenant.run((tx) => deleteWorkspaceBackups(tx, id, 'a.md'))).toBe(1);
    expect(await used()).toBe(5);
    await put('b.md', '12345');
  });

  test('holds for many who write at the same time', async () => {
    await setQuota(50);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => put(`${n}.md`, '1234567890')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await used()).toBe(50);
  });

  test('five hundred files are enough', async () => {
    await tenant.run((tx) =>
      sql`insert into lamb.workspace_files (workspace_id, path, content, version, written_by)
        select ${id}, n || '.md', '', n, ${tenant.teacherId} from generate_series(1, 500) as n`.execute(tx),
    );
    await expect(put('one-more.md', '')).rejects.toThrow('500 files at most');
    await put('1.md', 'changed');
  });
});
