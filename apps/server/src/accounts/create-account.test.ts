import { findMembership } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn } from '../auth/__fixtures__/open-doors.ts';
import { toRole } from '../auth/to-role.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createAccount } from './create-account.ts';
import { createOrganization } from './create-organization.ts';

let lamb: TestServer;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(async () => {
  await lamb.stop();
});

const password = 'correct horse battery';

async function findUser(email: string) {
  return await lamb.services.db.selectFrom('auth.user').selectAll().where('email', '=', email).executeTakeFirst();
}

it.each(['owner', 'admin', 'member', 'end_user'] as const)(
  'makes an account for an %s, who can sign in',
  async (role) => {
    const email = `${role}@new.test`;
    const account = { email, name: 'New', password, organizationId: lamb.north.id, role, lmsUserId: '4711' };
    const id = await createAccount(lamb.services, account);
    const membership = await findMembership(lamb.services.db, id, lamb.north.id);
    expect(membership && toRole(membership)).toBe(role);
    expect(membership?.user).toMatchObject({ lmsUserId: '4711', enabled: true, systemAdmin: false });
    expect((await signIn(lamb, { email, password })).reply.status).toBe(200);
  },
);

it('refuses an address that is taken, however it is capitalised', async () => {
  const account = { name: 'Again', password, organizationId: lamb.north.id, role: 'member' } as const;
  await expect(createAccount(lamb.services, { ...account, email: 'Teacher@North.test' })).rejects.toThrow(/exists/);
});

it('refuses a password that could not be changed to either', async () => {
  const account = { email: 'short@new.test', name: 'S', organizationId: lamb.north.id, role: 'member' } as const;
  await expect(createAccount(lamb.services, { ...account, password: 'short' })).rejects.toThrow(/10 characters/);
  expect(await findUser('short@new.test')).toBeUndefined();
});

it('leaves nothing behind when there is no such organisation', async () => {
  const account = {
    email: 'lost@new.test',
    name: 'Lost',
    password,
    organizationId: randomUUID(),
    role: 'member',
  } as const;
  await expect(createAccount(lamb.services, account)).rejects.toThrow();
  expect(await findUser('lost@new.test')).toBeUndefined();
});

it('refuses a second organisation with the same short name', async () => {
  await expect(createOrganization(lamb.services.db, { name: 'Other', slug: 'north' })).rejects.toThrow(
    'There is already an organisation with the short name “north”.',
  );
});
