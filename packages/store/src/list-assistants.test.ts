import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { publishAssistant } from './assistant-publications.ts';
import { shareAssistant } from './assistant-shares.ts';
import { createAssistant, deleteAssistant, type NewAssistant } from './assistants.ts';
import {
  listAssistants,
  type AssistantListRequest,
  type AssistantScope,
  type AssistantSort,
  type AssistantSummary,
} from './list-assistants.ts';
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

const add = async (input: Partial<NewAssistant> & { name: string }): Promise<number> =>
  (await tenant.run((tx) => createAssistant(tx, { ownerId: tenant.teacherId, ...input }))).id;

const publish = (id: number) =>
  tenant.run((tx) => publishAssistant(tx, id, { publishedBy: tenant.teacherId, publishedName: `p${id}` }));

const share = (id: number) => tenant.run((tx) => shareAssistant(tx, id, [tenant.colleagueId], tenant.teacherId));

const list = (request: Partial<AssistantListRequest>) =>
  tenant.run((tx) =>
    listAssistants(tx, { viewerId: tenant.teacherId, scope: 'mine', sort: 'updated', limit: 50, ...request }),
  );

async function listAll(
  request: Partial<AssistantListRequest>,
  betweenPages: (page: number) => Promise<void> = () => Promise.resolve(),
): Promise<AssistantSummary[]> {
  const items: AssistantSummary[] = [];
  let cursor: string | undefined;
  for (let page = 1; page < 100; page++) {
    const { items: more, nextCursor } = await list({ ...request, cursor });
    items.push(...more);
    if (nextCursor === null) return items;
    expect(more).toHaveLength(request.limit ?? 50);
    cursor = nextCursor;
    await betweenPages(page);
  }
  throw new Error('The list does not end.');
}

test('each scope shows what belongs to it', async () => {
  const own = await add({ name: 'own', ownerId: tenant.colleagueId });
  const ownPublished = await add({ name: 'own, published', ownerId: tenant.colleagueId });
  const shared = await add({ name: 'shared' });
  const published = await add({ name: 'published' });
  const sharedAndPublished = await add({ name: 'both' });
  const hidden = await add({ name: 'hidden' });
  const deleted = await add({ name: 'deleted' });
  for (const id of [ownPublished, published, sharedAndPublished, deleted]) await publish(id);
  for (const id of [shared, sharedAndPublished, deleted]) await share(id);
  await tenant.run((tx) => deleteAssistant(tx, deleted));

  const seen = async (scope: AssistantScope): Promise<number[]> => {
    const { items } = await list({ viewerId: tenant.colleagueId, scope });
    return items.map((item) => item.id).toSorted((a, b) => a - b);
  };
  expect(await seen('mine')).toEqual([own, ownPublished]);
  expect(await seen('shared')).toEqual([shared, sharedAndPublished]);
  expect(await seen('published')).toEqual([ownPublished, published, sharedAndPublished]);
  expect(await seen('visible')).toEqual([own, ownPublished, shared, published, sharedAndPublished]);
  expect(await seen('organization')).toEqual([own, ownPublished, shared, published, sharedAndPublished, hidden]);

  const { items } = await list({ viewerId: tenant.colleagueId, scope: 'visible', sort: 'name' });
  expect(items.map((item) => [item.name, item.isOwner, item.isShared, item.published !== null])).toEqual([
    ['both', false, true, true],
    ['own', true, false, false],
    ['own, published', true, false, true],
    ['published', false, false, true],
    ['shared', false, true, false],
  ]);
});

test('sorts times newest first and names as people do', async () => {
  const day = (n: number) => new Date(Date.UTC(2024, 0, n));
  await add({ name: 'éclair', createdAt: day(3), updatedAt: day(4) });
  await add({ name: 'Apple', createdAt: day(1), updatedAt: day(6) });
  await add({ name: 'zebra', createdAt: day(2), updatedAt: day(5) });
  await add({ name: 'apple', createdAt: day(4), updatedAt: day(4) });
  const names = async (sort: AssistantSort): Promise<string[]> => (await listAll({ sort })).map((item) => item.name);
  expect(await names('name')).toEqual(['apple', 'Apple', 'éclair', 'zebra']);
  expect(await names('created')).toEqual(['apple', 'éclair', 'zebra', 'Apple']);
  expect(await names('updated')).toEqual(['Apple', 'zebra', 'apple', 'éclair']);
});

const scopes: AssistantScope[] = ['mine', 'shared', 'published', 'visible', 'organization'];
const sorts: AssistantSort[] = ['updated', 'created', 'name'];

test('pages have no gaps and no doubles, also with equal values and inserts in between', async () => {
  const same = new Date('2024-05-05T05:05:05.005Z');
  const ids: number[] = [];
  for (let n = 0; n < 30; n++) {
    // Ten share one time; names are equal across owners.
    const ownerId = n % 2 === 0 ? tenant.teacherId : tenant.colleagueId;
    const time = n < 10 ? same : new Date(same.getTime() + n * 1000);
    const id = await add({ name: `n${n >> 1}`, ownerId, createdAt: time, updatedAt: time });
    ids.push(id);
    await publish(id);
    await share(id);
  }
  for (const scope of scopes) {
    for (const sort of sorts) {
      const expected = ids.filter((_, n) => scope !== 'mine' || n % 2 === 1).toSorted((a, b) => a - b);
      const request = { scope, sort, limit: 7, viewerId: tenant.colleagueId };
      const quiet = await listAll(request);
      expect(
        quiet.map((item) => item.id).toSorted((a, b) => a - b),
        `${scope} by ${sort}`,
      ).toEqual(expected);
      const added: number[] = [];
      const busy = await listAll(request, async (page) => {
        const id = await add({ name: `x${scope}${sort}${page}`, ownerId: tenant.colleagueId });
        added.push(id);
        await publish(id);
        await share(id);
      });
      const seen = busy.map((item) => item.id);
      expect(new Set(seen).size, `${scope} by ${sort}`).toBe(seen.length);
      expect(seen.filter((id) => !added.includes(id)).toSorted((a, b) => a - b)).toEqual(expected);
      for (const id of added) await tenant.run((tx) => deleteAssistant(tx, id));
    }
  }
});

test('filters by type and by a part of the text, taken literally', async () => {
  await add({ name: '100% chemistry', description: 'Acids' });
  await add({ name: '100 chemistry', description: 'Bases', type: 'multi_tool' });
  await add({ name: 'physics_1', description: 'CHEMISTRY too' });
  const names = async (request: Partial<AssistantListRequest>) =>
    (await listAll({ sort: 'name', ...request })).map((item) => item.name);
  expect(await names({ type: 'multi_tool' })).toEqual(['100 chemistry']);
  expect(await names({ search: 'chemistry' })).toEqual(['100 chemistry', '100% chemistry', 'physics_1']);
  expect(await names({ search: '0%' })).toEqual(['100% chemistry']);
  expect(await names({ search: 's_1' })).toEqual(['physics_1']);
  expect(await names({ search: '\\' })).toEqual([]);
  await add({ name: 'Ökologie', description: 'ΣΟΦΊΑ' });
  expect(await names({ search: 'öKO' })).toEqual(['Ökologie']);
  expect(await names({ search: 'σοφία' })).toEqual(['Ökologie']);
  expect(await names({ search: 'chemistry', type: 'classic' })).toEqual(['100% chemistry', 'physics_1']);
});

test('a cursor of another list, or none at all, is the caller’s mistake', async () => {
  for (let n = 0; n < 3; n++) await add({ name: `n${n}` });
  const { nextCursor } = await list({ limit: 2, sort: 'name' });
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const cursor of [
    nextCursor ?? '',
    '',
    'x',
    encode(null),
    encode(['updated', 'soon', '1']),
    encode(['updated', '1', '1']),
    encode(['updated', 1]),
  ]) {
    await expect(list({ sort: 'updated', cursor })).rejects.toMatchObject({ code: 'invalid_request' });
  }
  await expect(list({ cursor: encode(['updated', new Date().toISOString(), '1; drop']) })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  await expect(list({ limit: 0 })).rejects.toThrow('1 to 200');
  await expect(list({ limit: 201 })).rejects.toThrow('1 to 200');
});
