import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createFile,
  deleteFile,
  getFile,
  getFileByPath,
  listFiles,
  readFileContent,
  sumStorage,
  type NewFile,
} from './files.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';

let store: TestStore;
let tenant: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

beforeEach(async () => {
  tenant = await store.addTenant();
});

const add = (values: Partial<NewFile> = {}) =>
  tenant.run((tx) =>
    createFile(tx, {
      ownerId: tenant.teacherId,
      path: 'notes/one.md',
      mediaType: 'text/markdown',
      content: Buffer.from('# One'),
      ...values,
    }),
  );

test('a file comes back byte for byte, by id and by path, and only in its organisation', async () => {
  const content = randomBytes(300_000);
  const file = await add({ content });
  expect(file).toMatchObject({
    ownerId: tenant.teacherId,
    path: 'notes/one.md',
    mediaType: 'text/markdown',
    size: 300_000,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
  expect(await tenant.run((tx) => getFile(tx, file.id))).toEqual(file);
  expect(await tenant.run((tx) => getFileByPath(tx, tenant.teacherId, 'notes/one.md'))).toEqual(file);
  expect(await tenant.run((tx) => getFileByPath(tx, tenant.colleagueId, 'notes/one.md'))).toBeUndefined();
  const read = await tenant.run((tx) => readFileContent(tx, file.id));
  expect(read?.content.equals(content)).toBe(true);
  expect(read?.truncated).toBe(false);
  const other = await store.addTenant();
  expect(await other.run((tx) => getFile(tx, file.id))).toBeUndefined();
  expect(await other.run((tx) => readFileContent(tx, file.id))).toBeUndefined();
  expect(await other.run((tx) => deleteFile(tx, file.id))).toBe(false);
});

test('the first bytes say whether there are more', async () => {
  const { id } = await add({ content: new Uint8Array([0, 1, 2, 3]).subarray(1) });
  const read = (maxBytes: number) => tenant.run((tx) => readFileContent(tx, id, { maxBytes }));
  expect(await read(2)).toEqual({ content: Buffer.from([1, 2]), truncated: true });
  expect(await read(3)).toEqual({ content: Buffer.from([1, 2, 3]), truncated: false });
  expect(await read(99)).toEqual({ content: Buffer.from([1, 2, 3]), truncated: false });
  expect(await tenant.run((tx) => readFileContent(tx, randomUUID()))).toBeUndefined();
});

test('a path is taken once per owner and free again after deletion', async () => {
  const { id } = await add();
  await expect(add()).rejects.toMatchObject({ code: 'name_taken' });
  await add({ ownerId: tenant.colleagueId });
  expect(await tenant.run((tx) => deleteFile(tx, id))).toBe(true);
  expect(await tenant.run((tx) => readFileContent(tx, id))).toBeUndefined();
  await add();
});

test('storage is summed and files are listed, of one owner or of all', async () => {
  expect(await tenant.run(sumStorage)).toBe(0);
  const ids: string[] = [];
  for (let n = 0; n < 9; n++) {
    const ownerId = n < 5 ? tenant.teacherId : tenant.colleagueId;
    ids.push((await add({ ownerId, path: `${n}`, content: Buffer.alloc(n) })).id);
  }
  expect(await tenant.run(sumStorage)).toBe(36);
  const listAll = async (ownerId?: string): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await tenant.run((tx) => listFiles(tx, { ownerId, limit: 2, cursor }));
      seen.push(...page.items.map((file) => file.id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && seen.length < 50);
    return seen.toSorted();
  };
  expect(await listAll()).toEqual(ids.toSorted());
  expect(await listAll(tenant.teacherId)).toEqual(ids.slice(0, 5).toSorted());
});
