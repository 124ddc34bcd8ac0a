import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findMembership, listMembers, listMembershipsOfUser } from './memberships.ts';
import { findOrganizationBySlug } from './organizations.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import { findMembersByEmail, findUserByEmail } from './users.ts';

let store: TestStore;
let tenant: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
  tenant = await store.addTenant();
});

afterAll(() => store.close());

test('a membership says who, where, as what, and whether both are in good standing', async () => {
  const { teacherId, organizationId } = tenant;
  const found = await findMembership(store.db, teacherId, organizationId);
  expect(found).toMatchObject({
    user: { id: teacherId, enabled: true, banned: false, kind: 'creator' },
    organization: { id: organizationId, status: 'active' },
    role: 'owner',
  });
  await store.db
    .updateTable('auth.organization')
    .set({ status: 'suspended' })
    .where('id', '=', organizationId)
    .execute();
  expect((await findMembership(store.db, teacherId, organizationId))?.organization.status).toBe('suspended');
  await store.db.updateTable('auth.organization').set({ status: 'active' }).where('id', '=', organizationId).execute();
  expect(await findMembership(store.db, teacherId, randomUUID())).toBeUndefined();
  expect(await findMembership(store.db, teacherId, (await store.addTenant()).organizationId)).toBeUndefined();
  expect(await findOrganizationBySlug(store.db, found?.organization.slug ?? '')).toMatchObject({ id: organizationId });
});

test('a user’s organisations, the oldest membership first', async () => {
  const userId = await store.addUser(tenant.organizationId);
  const second = await store.addTenant();
  await store.db
    .insertInto('auth.member')
    .values({ organizationId: second.organizationId, userId, role: 'admin', createdAt: new Date(0) })
    .execute();
  const found = await listMembershipsOfUser(store.db, userId);
  expect(found.map((each) => [each.organization.id, each.role])).toEqual([
    [second.organizationId, 'admin'],
    [tenant.organizationId, 'member'],
  ]);
});

test('e-mail addresses are found however they are capitalised, members only where it matters', async () => {
  const id = await store.addUser(tenant.organizationId, { email: 'Ada.Lovelace@Example.org' });
  expect((await findUserByEmail(store.db, 'ada.lovelace@EXAMPLE.org'))?.id).toBe(id);
  expect(await findUserByEmail(store.db, 'nobody@example.org')).toBeUndefined();
  const other = await store.addTenant();
  await store.addUser(other.organizationId, { email: 'elsewhere@example.org' });
  const wanted = ['ADA.lovelace@example.org', 'elsewhere@example.org', 'nobody@example.org'];
  expect((await tenant.run((tx) => findMembersByEmail(tx, wanted))).map((user) => user.id)).toEqual([id]);
  expect(await tenant.run((tx) => findMembersByEmail(tx, []))).toEqual([]);
  await expect(store.addUser(other.organizationId, { email: 'ADA.LOVELACE@example.org' })).rejects.toThrow('unique');
});

test('members are listed page by page, times with microseconds included', async () => {
  const crowd = await store.addTenant();
  const expected = new Set([crowd.teacherId, crowd.colleagueId]);
  for (let n = 0; n < 21; n++) expected.add(await store.addUser(crowd.organizationId));
  // All within one millisecond: a cursor that is cut to milliseconds skips or repeats.
  await sql`
    update auth.member m set "createdAt" = timestamptz '2024-01-01 00:00:00.000100Z' + n.number * interval '40 microseconds'
    from (select id, row_number() over (order by id) / 2 as number from auth.member) n
    where n.id = m.id and m."organizationId" = ${crowd.organizationId}`.execute(store.db);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await crowd.run((tx) => listMembers(tx, { limit: 4, cursor }));
    seen.push(...page.items.map((member) => member.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && seen.length < 100);
  expect(seen).toHaveLength(expected.size);
  expect(new Set(seen)).toEqual(expected);
  const [first] = (await crowd.run((tx) => listMembers(tx, { limit: 1 }))).items;
  expect(Object.keys(first ?? {}).toSorted()).toEqual(
    [
      'banned',
      'email',
      'emailConfirmed',
      'enabled',
      'id',
      'joinedAt',
      'lastSeenAt',
      'lmsUserId',
      'name',
      'role',
      'systemAdmin',
    ].toSorted(),
  );
});
