import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAssistantByName, getAssistantAccess } from './assistant-access.ts';
import { publishAssistant, unpublishAssistant } from './assistant-publications.ts';
import { listAssistantShares, shareAssistant, unshareAssistant } from './assistant-shares.ts';
import {
  createAssistant,
  deleteAssistant,
  getAssistant,
  restoreAssistant,
  transferAssistant,
  updateAssistant,
} from './assistants.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';

let store: TestStore;
let tenant: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
  tenant = await store.addTenant();
});

afterAll(() => store.close());

const add = (name: string, ownerId = tenant.teacherId) => tenant.run((tx) => createAssistant(tx, { ownerId, name }));

test('an assistant comes back as it was saved, the metadata to the letter', async () => {
  const content = {
    name: 'Química',
    description: 'Ask me',
    type: 'multi_tool' as const,
    metadata: '{ "b": 1,  "a": [ ] ',
    systemPrompt: 'You are {context}',
    promptTemplate: '{user_input}',
    ragEndpoint: 'x',
    ragTopK: 7,
    ragCollections: '12,15',
    preRetrievalEndpoint: 'y',
    postRetrievalEndpoint: 'z',
  };
  const createdAt = new Date('2020-02-03T04:05:06.789Z');
  const created = await tenant.run((tx) =>
    createAssistant(tx, { ...content, ownerId: tenant.teacherId, createdAt, updatedAt: createdAt }),
  );
  expect(created).toMatchObject({
    ...content,
    organizationId: tenant.organizationId,
    ownerId: tenant.teacherId,
    published: null,
    version: 1,
    createdAt,
    updatedAt: createdAt,
    deletedAt: null,
  });
  expect(created.id).toBeTypeOf('number');
  expect(created.ownerEmail).toContain('@example.org');
  expect(await tenant.run((tx) => getAssistant(tx, created.id))).toEqual(created);
  const copy = await tenant.run((tx) => createAssistant(tx, { ...created, name: 'a copy' }));
  expect(copy).toMatchObject({ ...content, name: 'a copy' });
  expect(copy.id).not.toBe(created.id);
});

test('a name is taken once per owner and free again after deletion', async () => {
  const first = await add('unique');
  await expect(add('unique')).rejects.toMatchObject({ code: 'name_taken' });
  await add('unique', tenant.colleagueId);
  const renamed = await add('to be renamed');
  await expect(tenant.run((tx) => updateAssistant(tx, renamed.id, { name: 'unique' }))).rejects.toMatchObject({
    code: 'name_taken',
  });
  expect(await tenant.run((tx) => deleteAssistant(tx, first.id))).toBe(true);
  expect(await tenant.run((tx) => getAssistant(tx, first.id))).toBeUndefined();
  expect(await tenant.run((tx) => deleteAssistant(tx, first.id))).toBe(false);
  await add('unique');
  await expect(tenant.run((tx) => restoreAssistant(tx, first.id))).rejects.toMatchObject({ code: 'name_taken' });
});

test('a deleted assistant comes back with its shares and its publication', async () => {
  const { id } = await add('phoenix');
  await tenant.run(async (tx) => {
    await shareAssistant(tx, id, [tenant.colleagueId], tenant.teacherId);
    await publishAssistant(tx, id, { publishedBy: tenant.teacherId, publishedName: 'Phoenix' });
    await deleteAssistant(tx, id);
  });
  expect(await tenant.run((tx) => getAssistantAccess(tx, id, tenant.colleagueId))).toBeUndefined();
  expect(await tenant.run((tx) => restoreAssistant(tx, id))).toBe(true);
  expect(await tenant.run((tx) => getAssistantAccess(tx, id, tenant.colleagueId))).toMatchObject({
    isShared: true,
    isPublished: true,
  });
});

test('an update changes what it names and counts the version', async () => {
  const before = await tenant.run((tx) =>
    createAssistant(tx, {
      ownerId: tenant.teacherId,
      name: 'changing',
      description: 'stays',
      ragTopK: 3,
      updatedAt: new Date(0),
    }),
  );
  const after = await tenant.run((tx) => updateAssistant(tx, before.id, { systemPrompt: 'new', ragTopK: null }));
  expect(after).toMatchObject({ description: 'stays', systemPrompt: 'new', ragTopK: null, version: 2 });
  expect(after?.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
  expect(await tenant.run((tx) => updateAssistant(tx, 999_999_999, { name: 'nobody' }))).toBeUndefined();
});

test('of two updates from the same version one is refused', async () => {
  const { id, version } = await add('contested');
  const results = await Promise.allSettled(
    ['mine', 'yours'].map((systemPrompt) => tenant.run((tx) => updateAssistant(tx, id, { systemPrompt }, version))),
  );
  const [failed] = results.filter((result) => result.status === 'rejected');
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  expect(failed?.reason).toMatchObject({ code: 'stale_update', details: { version: 2 } });
});

test('access says what a user is to an assistant', async () => {
  const { id } = await add('accessed');
  const read = (userId: string) => tenant.run((tx) => getAssistantAccess(tx, id, userId));
  expect(await read(tenant.teacherId)).toMatchObject({ isOwner: true, isShared: false, isPublished: false });
  expect(await read(tenant.colleagueId)).toMatchObject({ isOwner: false, isShared: false, isPublished: false });
  await tenant.run((tx) => shareAssistant(tx, id, [tenant.colleagueId], tenant.teacherId));
  expect(await read(tenant.colleagueId)).toMatchObject({ isOwner: false, isShared: true, isPublished: false });
  expect(await tenant.run((tx) => transferAssistant(tx, id, tenant.colleagueId))).toBe(true);
  expect(await read(tenant.colleagueId)).toMatchObject({ isOwner: true, assistant: { ownerId: tenant.colleagueId } });
});

test('shares are added once, listed and taken back', async () => {
  const { id } = await add('shared around');
  const third = await store.addUser(tenant.organizationId, { email: 'a-first@example.org' });
  await tenant.run((tx) => shareAssistant(tx, id, [tenant.colleagueId, third], tenant.teacherId));
  await tenant.run((tx) => shareAssistant(tx, id, [third], tenant.teacherId));
  await tenant.run((tx) => shareAssistant(tx, id, [], tenant.teacherId));
  const shares = await tenant.run((tx) => listAssistantShares(tx, id));
  expect(shares.map((share) => share.userId).toSorted()).toEqual([third, tenant.colleagueId].toSorted());
  expect(shares.find((share) => share.userId === third)).toMatchObject({
    email: 'a-first@example.org',
    sharedBy: tenant.teacherId,
  });
  await tenant.run((tx) => unshareAssistant(tx, id, [third]));
  expect(await tenant.run((tx) => listAssistantShares(tx, id))).toHaveLength(1);
  await expect(tenant.run((tx) => shareAssistant(tx, 999_999_999, [third], tenant.teacherId))).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a publication keeps what older installations attach to it, and its first date', async () => {
  const { id } = await add('published');
  const publication = {
    publishedBy: tenant.teacherId,
    publishedName: 'For all',
    groupId: 'g',
    groupName: 'G',
    oauthConsumerName: 'moodle',
  };
  expect(await tenant.run((tx) => publishAssistant(tx, id, publication))).toBe(true);
  const first = await tenant.run((tx) => getAssistant(tx, id));
  expect(first?.published).toMatchObject({ publishedName: 'For all', groupId: 'g', oauthConsumerName: 'moodle' });
  expect(first?.version).toBe(1);
  await tenant.run((tx) => publishAssistant(tx, id, { ...publication, publishedName: 'For everyone' }));
  const second = await tenant.run((tx) => getAssistant(tx, id));
  expect(second?.published).toEqual({ ...first?.published, publishedName: 'For everyone' });
  expect(await tenant.run((tx) => unpublishAssistant(tx, id))).toBe(true);
  expect(await tenant.run((tx) => unpublishAssistant(tx, id))).toBe(false);
  expect((await tenant.run((tx) => getAssistant(tx, id)))?.published).toBeNull();
});

test('a name means one’s own, then a shared, then a published assistant, and nothing else', async () => {
  const find = (name = 'tutor') => tenant.run((tx) => findAssistantByName(tx, name, tenant.colleagueId));
  const third = await store.addUser(tenant.organizationId);
  const hidden = await add('tutor', await store.addUser(tenant.organizationId));
  expect(await find()).toBeUndefined();
  const published = await add('tutor', tenant.teacherId);
  await tenant.run((tx) => publishAssistant(tx, published.id, { publishedBy: third, publishedName: 'The tutor' }));
  expect((await find())?.assistant.id).toBe(published.id);
  expect((await find('The tutor'))?.assistant.id).toBe(published.id);
  const shared = await add('tutor', third);
  await tenant.run((tx) => shareAssistant(tx, shared.id, [tenant.colleagueId], third));
  expect((await find())?.assistant.id).toBe(shared.id);
  const own = await add('tutor', tenant.colleagueId);
  expect((await find())?.assistant.id).toBe(own.id);
  await tenant.run((tx) => deleteAssistant(tx, own.id));
  expect((await find())?.assistant.id).toBe(shared.id);
  expect(hidden.id).not.toBe(shared.id);
});
