import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import {
  createRubric,
  deleteRubric,
  getRubric,
  listRubrics,
  updateRubric,
  type NewRubric,
  type RubricListRequest,
} from './rubrics.ts';

let store: TestStore;
let tenant: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

beforeEach(async () => {
  tenant = await store.addTenant();
});

const add = (values: Partial<NewRubric> = {}) =>
  tenant.run((tx) =>
    createRubric(tx, { ownerId: tenant.teacherId, title: 'Essay', data: { criteria: [1, 'ñ'] }, ...values }),
  );

test('a rubric is found by its UUID or by the number of an older installation', async () => {
  const rubricId = randomUUID();
  const created = await add({ rubricId, legacyId: 12, description: 'd', isPublic: true, isShowcase: true });
  expect(created).toMatchObject({
    rubricId,
    legacyId: 12,
    title: 'Essay',
    data: { criteria: [1, 'ñ'] },
    isPublic: true,
    isShowcase: true,
    parentId: null,
    version: 1,
  });
  for (const id of [rubricId, rubricId.toUpperCase(), '12']) {
    expect(await tenant.run((tx) => getRubric(tx, id))).toEqual(created);
  }
  for (const id of [randomUUID(), '13', '', 'x', '12345678901234567890']) {
    expect(await tenant.run((tx) => getRubric(tx, id))).toBeUndefined();
  }
  const other = await store.addTenant();
  expect(await other.run((tx) => getRubric(tx, rubricId))).toBeUndefined();
  expect(await other.run((tx) => getRubric(tx, '12'))).toBeUndefined();
});

test('updates are counted and refused when stale; a removed parent leaves its copies', async () => {
  const parent = await add();
  const copy = await add({ parentId: parent.rubricId });
  const updated = await tenant.run((tx) => updateRubric(tx, parent.rubricId, { data: { a: 1 }, isPublic: true }, 1));
  expect(updated).toMatchObject({ title: 'Essay', data: { a: 1 }, isPublic: true, version: 2 });
  await expect(tenant.run((tx) => updateRubric(tx, parent.rubricId, { title: 'x' }, 1))).rejects.toMatchObject({
    code: 'stale_update',
  });
  expect(await tenant.run((tx) => updateRubric(tx, randomUUID(), { title: 'x' }))).toBeUndefined();
  expect(await tenant.run((tx) => deleteRubric(tx, parent.rubricId))).toBe(true);
  expect(await tenant.run((tx) => deleteRubric(tx, parent.rubricId))).toBe(false);
  expect((await tenant.run((tx) => getRubric(tx, copy.rubricId)))?.parentId).toBeNull();
});

test('lists what is one’s own, what is public, or both, without gaps and doubles', async () => {
  const mine: string[] = [];
  const open: string[] = [];
  for (let n = 0; n < 12; n++) {
    const isPublic = n % 3 === 0;
    const ownerId = n % 2 === 0 ? tenant.teacherId : tenant.colleagueId;
    const { rubricId } = await add({ ownerId, isPublic });
    if (n % 2 === 0) mine.push(rubricId);
    if (isPublic) open.push(rubricId);
  }
  const listAll = async (scope: RubricListRequest['scope']): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await tenant.run((tx) => listRubrics(tx, { viewerId: tenant.teacherId, scope, limit: 3, cursor }));
      seen.push(...page.items.map((rubric) => rubric.rubricId));
      expect(page.items[0]).not.toHaveProperty('data');
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && seen.length < 50);
    return seen.toSorted();
  };
  expect(await listAll('mine')).toEqual(mine.toSorted());
  expect(await listAll('public')).toEqual(open.toSorted());
  expect(await listAll('visible')).toEqual([...new Set([...mine, ...open])].toSorted());
});
