import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createApiKey,
  digestApiKey,
  findApiKeyByDigest,
  listApiKeys,
  listHeldApiKeys,
  noteApiKeyUse,
  revokeApiKey,
} from './api-keys.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import { withTenant, type TenantTx } from './with-tenant.ts';

let store: TestStore;
let tenant: TestTenant;

beforeAll(async () => {
  store = await openTestStore();
  tenant = await store.addTenant();
});

afterAll(() => store.close());

const add = (values: Partial<Parameters<typeof createApiKey>[1]> = {}) =>
  createApiKey(store.db, {
    userId: tenant.teacherId,
    organizationId: tenant.organizationId,
    name: 'laptop',
    assistants: 'all',
    trustedGateway: false,
    ...values,
  });

const find = (key: string) => findApiKeyByDigest(store.db, digestApiKey(key));

test('a digest is the unpadded base64url of SHA-256, as better-auth keeps it', () => {
  const expected = createHash('sha256').update('key').digest('base64').replaceAll('+', '-').replaceAll('/', '_');
  expect(digestApiKey('key')).toBe(expected.replace('=', ''));
});

test('a key leads to its holder in one look-up and is kept as a digest only', async () => {
  const expiresAt = new Date('2100-01-01T00:00:00Z');
  const { key, apiKey } = await add({ assistants: [3, 5], trustedGateway: true, expiresAt });
  expect(await find(key)).toEqual({
    key: {
      id: apiKey.id,
      name: 'laptop',
      start: key.slice(0, 9),
      userId: tenant.teacherId,
      organizationId: tenant.organizationId,
      assistants: [3, 5],
      trustedGateway: true,
      enabled: true,
      expiresAt,
      createdAt: apiKey.createdAt,
      lastUsedAt: null,
    },
    membership: {
      user: {
        id: tenant.teacherId,
        email: expect.stringContaining('@example.org') as string,
        name: expect.any(String) as string,
        kind: 'creator',
        lmsUserId: null,
        enabled: true,
        banned: false,
        systemAdmin: false,
      },
      organization: {
        id: tenant.organizationId,
        name: expect.stringContaining('Organisation') as string,
        slug: expect.any(String) as string,
        status: 'active',
      },
      role: 'owner',
      enabled: true,
      emailConfirmed: false,
    },
  });
  const { rows } = await sql<{ text: string }>`select k::text as text from auth.apikey k`.execute(store.db);
  expect(JSON.stringify(rows)).not.toContain(key);
  expect(await find(`${key}x`)).toBeUndefined();
});

test('what switches a key off is reported with it', async () => {
  const userId = await store.addUser(tenant.organizationId);
  const { key, apiKey } = await add({ userId });
  const set = async (values: Record<string, unknown>) => {
    await store.db.updateTable('auth.user').set(values).where('id', '=', userId).execute();
    return (await find(key))?.membership.user;
  };
  const past = new Date(Date.now() - 1000);
  const future = new Date(Date.now() + 60_000);
  expect(await set({ enabled: false })).toMatchObject({ enabled: false });
  expect(await set({ banned: true })).toMatchObject({ banned: true });
  expect(await set({ banExpires: past })).toMatchObject({ banned: false });
  expect(await set({ banExpires: future })).toMatchObject({ banned: true });
  expect(await set({ role: 'user,admin' })).toMatchObject({ systemAdmin: true });
  await store.db.updateTable('auth.apikey').set({ enabled: false }).where('id', '=', apiKey.id).execute();
  expect((await find(key))?.key.enabled).toBe(false);
});

test('a key of someone who left the organisation, or of none, opens nothing', async () => {
  const userId = await store.addUser(tenant.organizationId);
  const { key, apiKey } = await add({ userId });
  await store.db.deleteFrom('auth.member').where('userId', '=', userId).execute();
  expect(await find(key)).toBeUndefined();

  const { key: foreign } = await add({ organizationId: (await store.addTenant()).organizationId });
  expect(await find(foreign)).toBeUndefined();

  await store.db.updateTable('auth.apikey').set({ organizationId: null }).where('id', '=', apiKey.id).execute();
  expect(await find(key)).toBeUndefined();
});

test('keys are listed per person and organisation, and revoked for their holder only', async () => {
  const userId = await store.addUser(tenant.organizationId);
  const { key, apiKey } = await add({ userId, name: 'one' });
  await add({ userId, name: 'two' });
  await add({ userId, organizationId: (await store.addTenant()).organizationId });
  const names = async () => (await listApiKeys(store.db, userId, tenant.organizationId)).map((each) => each.name);
  expect((await names()).toSorted()).toEqual(['one', 'two']);
  const { id } = apiKey;
  const { organizationId } = tenant;
  expect(await revokeApiKey(store.db, { id, organizationId, holderId: tenant.teacherId })).toBeUndefined();
  expect(await revokeApiKey(store.db, { id, organizationId, holderId: userId })).toBe(digestApiKey(key));
  expect(await find(key)).toBeUndefined();
  expect(await names()).toEqual(['two']);
});

test("an organisation sees everybody's keys with their holders, page by page, and revokes any of its own", async () => {
  const { organizationId, teacherId } = await store.addTenant();
  const foreign = await store.addTenant();
  const colleague = await store.addUser(organizationId);
  const abroad = await add({ userId: foreign.teacherId, organizationId: foreign.organizationId });
  for (const [index, userId] of [teacherId, colleague, teacherId].entries()) {
    await add({ userId, organizationId, name: `key ${index}` });
  }
  // Within one millisecond: what a JavaScript date would not tell apart.
  await sql`update auth.apikey set "createdAt" = date_trunc('second', now()) + random() * interval '900 microseconds'
    where "organizationId" = ${organizationId}`.execute(store.db);
  const inside = <Result>(work: (tx: TenantTx) => Promise<Result>) => withTenant(store.db, organizationId, work);
  const seen = [];
  let cursor: string | undefined;
  do {
    const page = await inside((tx) => listHeldApiKeys(tx, { limit: 1, cursor }));
    seen.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen.map(({ name }) => name).toSorted()).toEqual(['key 0', 'key 1', 'key 2']);
  expect(new Set(seen.map(({ userId }) => userId))).toEqual(new Set([teacherId, colleague]));
  expect(seen.every(({ holder }) => holder.email.endsWith('@example.org'))).toBe(true);
  const { id } = abroad.apiKey;
  expect(await inside((tx) => revokeApiKey(tx, { id, organizationId }))).toBeUndefined();
  expect(await find(abroad.key)).toBeDefined();
});

test('when a key was last used is kept to the minute', async () => {
  const { key, apiKey } = await add();
  const lastUsed = async () => (await find(key))?.key.lastUsedAt;
  await noteApiKeyUse(store.db, apiKey.id);
  const first = await lastUsed();
  expect(first).toBeInstanceOf(Date);
  await noteApiKeyUse(store.db, apiKey.id);
  expect(await lastUsed()).toEqual(first);
  await sql`update auth.apikey set "lastRequest" = now() - interval '2 minutes' where id = ${apiKey.id}`.execute(
    store.db,
  );
  await noteApiKeyUse(store.db, apiKey.id);
  expect((await lastUsed())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Infinity);
});
