import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findReadableCollections, getCollectionAccess } from './collection-access.ts';
import { listCollectionShares, shareCollection, unshareCollection } from './collection-shares.ts';
import {
  beginReindex,
  createCollection,
  deleteCollection,
  endReindex,
  getCollection,
  updateCollection,
  type Collection,
  type NewCollection,
} from './collections.ts';
import { getDocumentBlocks, getDocumentText, hasDocumentText, putDocumentText } from './document-texts.ts';
import {
  createDocument,
  getDocument,
  getDocumentByNumber,
  listDocuments,
  readDocumentContent,
  updateDocument,
} from './documents.ts';
import { listCollections } from './list-collections.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';

let store: TestStore;
let one: TestTenant;
let other: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
  one = await store.addTenant();
  other = await store.addTenant();
});

afterAll(() => store.close());

const embedding = { provider: 'openai', model: 'small', dimensions: 8 };
const add = (tenant: TestTenant, input: Partial<NewCollection> = {}): Promise<Collection> =>
  tenant.run((tx) => createCollection(tx, { ownerId: tenant.teacherId, name: randomUUID(), embedding, ...input }));

const addText = (tenant: TestTenant, collectionId: number, text: string) =>
  tenant.run((tx) =>
    createDocument(tx, { collectionId, filename: 'a.txt', mediaType: 'text/plain', content: Buffer.from(text) }),
  );

test('a collection has what it was made with, and defaults', async () => {
  const made = await add(one, { name: 'Biology', description: 'Cells' });
  expect(made).toMatchObject({
    name: 'Biology',
    description: 'Cells',
    ownerId: one.teacherId,
    visibility: 'private',
    language: 'simple',
    embedding,
    chunking: { maxTokens: 300, overlapTokens: 40 },
    ranking: { lexicalWeight: 2, denseWeight: 1, rankConstant: 10 },
    indexVersion: 1,
    reindexJobId: null,
    hasVectorIndex: false,
    documents: 0,
    chunks: 0,
    bytes: 0,
  });
  expect(await one.run((tx) => getCollection(tx, made.id))).toEqual(made);
  await expect(add(one, { name: 'Biology' })).rejects.toMatchObject({ code: 'name_taken' });
  await expect(add(one, { name: 'Biology', ownerId: one.colleagueId })).resolves.toBeDefined();
});

test('a change changes what it names', async () => {
  const made = await add(one);
  const ranking = { lexicalWeight: 1, denseWeight: 4, rankConstant: 60 };
  const changed = await one.run((tx) => updateCollection(tx, made.id, { ranking, description: 'new' }));
  expect(changed).toMatchObject({ ...made, ranking, description: 'new', updatedAt: expect.any(Date) as Date });
  const taken = await add(one);
  await expect(one.run((tx) => updateCollection(tx, made.id, { name: taken.name }))).rejects.toMatchObject({
    code: 'name_taken',
  });
  expect(await other.run((tx) => updateCollection(tx, made.id, { name: 'mine' }))).toBeUndefined();
});

test('one job at a time reads a collection anew', async () => {
  const { id } = await add(one);
  const [first, second] = [randomUUID(), randomUUID()];
  expect(await one.run((tx) => beginReindex(tx, id, first))).toBe(true);
  expect(await one.run((tx) => beginReindex(tx, id, first))).toBe(true);
  expect(await one.run((tx) => beginReindex(tx, id, second))).toBe(false);
  await one.run((tx) => endReindex(tx, id, second));
  expect((await one.run((tx) => getCollection(tx, id)))?.reindexJobId).toBe(first);
  await one.run((tx) => endReindex(tx, id, first));
  expect(await one.run((tx) => beginReindex(tx, id, second))).toBe(true);
});

test('who may read: the owner, those it is shared with, and all when it is open to the organisation', async () => {
  const { id } = await add(one);
  const readable = (userId: string) => one.run((tx) => findReadableCollections(tx, [id, id, 999_999], userId));
  const access = (userId: string) => one.run((tx) => getCollectionAccess(tx, id, userId));
  expect(await readable(one.teacherId)).toMatchObject([{ id }]);
  expect(await readable(one.colleagueId)).toEqual([]);
  expect(await access(one.colleagueId)).toMatchObject({ isOwner: false, isShared: false, isReadable: false });
  await one.run((tx) => shareCollection(tx, id, [one.colleagueId], one.teacherId));
  await one.run((tx) => shareCollection(tx, id, [one.colleagueId], one.teacherId));
  expect(await readable(one.colleagueId)).toMatchObject([{ id }]);
  expect(await access(one.colleagueId)).toMatchObject({ isOwner: false, isShared: true, isReadable: true });
  expect(await one.run((tx) => listCollectionShares(tx, id))).toMatchObject([
    { userId: one.colleagueId, sharedBy: one.teacherId },
  ]);
  await one.run((tx) => unshareCollection(tx, id, [one.colleagueId]));
  expect(await readable(one.colleagueId)).toEqual([]);
  await one.run((tx) => updateCollection(tx, id, { visibility: 'organization' }));
  expect(await access(one.colleagueId)).toMatchObject({ isShared: false, isReadable: true });
  expect(await other.run((tx) => findReadableCollections(tx, [id], one.teacherId))).toEqual([]);
  expect(await other.run((tx) => getCollectionAccess(tx, id, one.teacherId))).toBeUndefined();
  await expect(other.run((tx) => shareCollection(tx, id, [other.colleagueId], other.teacherId))).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('lists show what a person may read, last changed first, page by page', async () => {
  const tenant = await store.addTenant();
  const mine = await add(tenant, { name: 'Mine' });
  const shared = await add(tenant, { name: 'Shared', ownerId: tenant.colleagueId, description: 'Ökologie 100%' });
  const open = await add(tenant, { name: 'Open', ownerId: tenant.colleagueId, visibility: 'organization' });
  await add(tenant, { name: 'Hidden', ownerId: tenant.colleagueId });
  await tenant.run((tx) => shareCollection(tx, shared.id, [tenant.teacherId], tenant.colleagueId));
  await tenant.run((tx) => updateCollection(tx, mine.id, { description: 'touched' }));
  const list = async (scope: 'mine' | 'shared' | 'visible', more: { search?: string } = {}) => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await tenant.run((tx) =>
        listCollections(tx, { viewerId: tenant.teacherId, scope, limit: 1, cursor, ...more }),
      );
      names.push(...page.items.map((item) => item.name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return names;
  };
  expect(await list('mine')).toEqual(['Mine']);
  expect(await list('shared')).toEqual(['Shared']);
  expect(await list('visible')).toEqual(['Mine', open.name, shared.name]);
  expect(await list('visible', { search: 'öko' })).toEqual(['Shared']);
  expect(await list('visible', { search: '0%' })).toEqual(['Shared']);
  expect(await list('visible', { search: '_' })).toEqual([]);
});

test('the same content is one document of a collection', async () => {
  const { id } = await add(one);
  const first = await addText(one, id, 'hello');
  expect(first).toMatchObject({ duplicate: false, document: { status: 'queued', size: 5, chunks: 0, progress: null } });
  const again = await addText(one, id, 'hello');
  expect(again).toEqual({ duplicate: true, document: first.document });
  const elsewhere = await addText(one, (await add(one)).id, 'hello');
  expect(elsewhere.duplicate).toBe(false);
  expect((await one.run((tx) => readDocumentContent(tx, first.document.id)))?.toString()).toBe('hello');
  expect(await one.run((tx) => getDocumentByNumber(tx, first.document.number))).toEqual(first.document);
  expect(await one.run((tx) => getCollection(tx, id))).toMatchObject({ documents: 1, bytes: 5 });
  await expect(addText(other, id, 'hello')).rejects.toMatchObject({ code: 'not_found' });
  expect(await other.run((tx) => getDocument(tx, first.document.id))).toBeUndefined();
  expect(await other.run((tx) => readDocumentContent(tx, first.document.id))).toBeUndefined();
});

test('a document tells how far it is, and changes on a condition', async () => {
  const { id } = await add(one);
  const { document } = await addText(one, id, 'hello');
  const jobId = randomUUID();
  const progress = { done: 3, total: 12, text: 'extracting 3/12 pages' };
  const change = (
    ...[values, condition]: [Parameters<typeof updateDocument>[2], Parameters<typeof updateDocument>[3]?]
  ) => one.run((tx) => updateDocument(tx, document.id, values, condition));
  expect(await change({ status: 'ready' }, { whileIn: ['failed', 'cancelled'] })).toBe(false);
  expect(await change({ status: 'extracting', progress, title: 'T', pages: 12, jobId })).toBe(true);
  expect(await one.run((tx) => getDocument(tx, document.id))).toMatchObject({
    status: 'extracting',
    progress,
    title: 'T',
    pages: 12,
    jobId,
  });
  expect(await change({ status: 'cancelled', progress: null })).toBe(true);
  expect(await change({ status: 'queued' }, { whileIn: ['failed', 'cancelled'] })).toBe(true);
  expect(await one.run((tx) => getDocument(tx, document.id))).toMatchObject({ status: 'queued', progress: null });
});

test('what was read out of a document is kept, and read again', async () => {
  const { id } = await add(one);
  const { document } = await addText(one, id, 'hello');
  expect(await one.run((tx) => hasDocumentText(tx, document.id))).toBe(false);
  await one.run((tx) => putDocumentText(tx, document.id, { text: 'a', blocks: [] }));
  await one.run((tx) => putDocumentText(tx, document.id, { text: 'b', blocks: [{ type: 'p' }] }));
  expect(await one.run((tx) => getDocumentText(tx, document.id))).toBe('b');
  expect(await one.run((tx) => getDocumentBlocks(tx, document.id))).toEqual({ blocks: [{ type: 'p' }] });
  expect(await one.run((tx) => hasDocumentText(tx, document.id))).toBe(true);
  expect(await other.run((tx) => getDocumentText(tx, document.id))).toBeUndefined();
});

test('a collection goes with its documents, and not through another organisation', async () => {
  const { id } = await add(one);
  for (const text of ['a', 'b', 'c']) await addText(one, id, text);
  const page = await one.run((tx) => listDocuments(tx, { collectionId: id, limit: 2 }));
  const rest = await one.run((tx) => listDocuments(tx, { collectionId: id, limit: 2, cursor: page.nextCursor ?? '' }));
  expect(new Set([...page.items, ...rest.items].map((document) => document.id)).size).toBe(3);
  expect(await other.run((tx) => deleteCollection(tx, id))).toBe(false);
  expect(await one.run((tx) => deleteCollection(tx, id))).toBe(true);
  expect(await one.run((tx) => listDocuments(tx, { collectionId: id, limit: 2 }))).toEqual({
    items: [],
    nextCursor: null,
  });
  expect(await one.run((tx) => deleteCollection(tx, id))).toBe(false);
});
