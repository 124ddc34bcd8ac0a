import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deleteSecret, getSecret, listSecretNames, putSecret, rotateSecrets } from './organization-secrets.ts';
import {
  getOrganizationConfig,
  getOrganizationConfigWithSecrets,
  patchOrganizationConfig,
  putOrganizationConfig,
} from './organization-settings.ts';
import { openDatabase } from './open-database.ts';
import { openTestStore, type TestStore, type TestTenant } from './open-test-store.ts';
import { createSecretBox } from './secret-box.ts';

let store: TestStore;
let tenant: TestTenant;
const newKey = () => randomBytes(32).toString('base64');
const keys = { k1: newKey(), k2: newKey() };
const box = createSecretBox({ current: 'k1', keys });

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

beforeEach(async () => {
  tenant = await store.addTenant();
});

const openaiKey = '/setups/default/providers/openai/api_key';
const withKey = (api_key?: string | null) => ({
  setups: { default: { providers: { openai: { ...(api_key !== undefined && { api_key }), models: ['m'] } } } },
});

/** Everything that the two tables hold, as bytes. */
async function dumpAsAdmin(): Promise<Buffer> {
  const admin = openDatabase(store.database.adminUrl);
  const settings = await admin.selectFrom('lamb.organization_settings').selectAll().execute();
  const secrets = await admin.selectFrom('lamb.organization_secrets').selectAll().execute();
  await admin.destroy();
  return Buffer.concat([Buffer.from(JSON.stringify([settings, secrets])), ...secrets.map((row) => row.ciphertext)]);
}

test('an organisation without a configuration has an empty one', async () => {
  expect(await tenant.run(getOrganizationConfig)).toEqual({});
});

test('the database holds no secret in the clear, the moment of use gets it back', async () => {
  await tenant.run((tx) => putOrganizationConfig(tx, box, withKey('sk-canary-1234')));
  expect(await tenant.run(getOrganizationConfig)).toEqual(withKey());
  expect(await tenant.run(listSecretNames)).toEqual([openaiKey]);
  expect(await tenant.run((tx) => getOrganizationConfigWithSecrets(tx, box))).toEqual(withKey('sk-canary-1234'));
  const dump = await dumpAsAdmin();
  expect(dump.includes('openai')).toBe(true);
  expect(dump.includes('sk-canary-1234')).toBe(false);
});

test('a secret that is not mentioned stays, an empty one or one without its provider goes', async () => {
  const put = (config: Record<string, unknown>) => tenant.run((tx) => putOrganizationConfig(tx, box, config));
  const read = () => tenant.run((tx) => getSecret(tx, box, openaiKey));
  await put(withKey('first'));
  await put(withKey());
  expect(await read()).toBe('first');
  await put(withKey('second'));
  expect(await read()).toBe('second');
  await put(withKey(''));
  expect(await read()).toBeUndefined();
  await put(withKey('third'));
  await put({ setups: {} });
  expect(await read()).toBeUndefined();
  expect(await tenant.run(listSecretNames)).toEqual([]);
});

test('a secret is not taken along to another origin', async () => {
  const read = () => tenant.run((tx) => getSecret(tx, box, openaiKey));
  const provider = (openai: Record<string, unknown>) => ({ setups: { default: { providers: { openai } } } });
  const ways = {
    put: (openai: Record<string, unknown>) => tenant.run((tx) => putOrganizationConfig(tx, box, provider(openai))),
    patch: (openai: Record<string, unknown>) =>
      tenant.run((tx) => patchOrganizationConfig(tx, box, provider(openai), { check: () => undefined })),
  };
  for (const [way, write] of Object.entries(ways)) {
    const moves: [string, Record<string, unknown>, Record<string, unknown>, string | undefined][] = [
      ['the same', { base_url: 'https://a.test/v1' }, { base_url: 'https://a.test/v1' }, 'kept'],
      ['another path', { base_url: 'https://a.test/v1' }, { base_url: 'https://A.test:443/v2/' }, 'kept'],
      ['another host', { base_url: 'https://a.test/v1' }, { base_url: 'https://b.test/v1' }, undefined],
      ['another port', { base_url: 'https://a.test' }, { base_url: 'https://a.test:8443' }, undefined],
      ['no encryption', { base_url: 'https://a.test' }, { base_url: 'http://a.test' }, undefined],
      ['from the provider’s own', {}, { base_url: 'https://b.test' }, undefined],
      ['no address', { base_url: 'https://a.test' }, { base_url: 'b.test' }, undefined],
      ['with a new key', { base_url: 'https://a.test' }, { base_url: 'https://b.test', api_key: 'new' }, 'new'],
    ];
    for (const [what, before, after, expected] of moves) {
      await ways.put({ api_key: '' });
      await ways.put({ ...before, api_key: 'kept' });
      await write(after);
      expect(await read(), `${way}: ${what}`).toBe(expected);
    }
    await ways.put({ base_url: 'https://a.test', api_key: 'kept' });
    await write({ base_url: way === 'patch' ? null : undefined });
    expect(await read(), `${way}: to the provider’s own`).toBeUndefined();
  }
});

test('nor is the token of another service', async () => {
  await tenant.run((tx) =>
    putOrganizationConfig(tx, box, {
      kb_server: { url: 'http://kb.test:9090', api_key: 'one' },
      moodle: { url: 'https://moodle.test', token: 'two' },
      setups: { default: { knowledge_base: { server_url: 'http://old.test', api_token: 'three' } } },
    }),
  );
  await tenant.run((tx) =>
    putOrganizationConfig(tx, box, {
      kb_server: { url: 'http://evil.test:9090' },
      moodle: { url: 'https://moodle.test/campus' },
      setups: { default: { knowledge_base: { server_url: 'http://evil.test' } } },
    }),
  );
  expect(await tenant.run(listSecretNames)).toEqual(['/moodle/token']);
});

test('a secret of its own is kept, replaced and removed, whatever the configuration does', async () => {
  await tenant.run((tx) => putSecret(tx, box, 'moodle_token', 'one'));
  await tenant.run((tx) => putSecret(tx, box, 'moodle_token', 'two'));
  await tenant.run((tx) => putOrganizationConfig(tx, box, {}));
  expect(await tenant.run((tx) => getSecret(tx, box, 'moodle_token'))).toBe('two');
  expect(await tenant.run((tx) => deleteSecret(tx, 'moodle_token'))).toBe(true);
  expect(await tenant.run((tx) => deleteSecret(tx, 'moodle_token'))).toBe(false);
  expect(await tenant.run((tx) => getSecret(tx, box, 'moodle_token'))).toBeUndefined();
});

test('a row that is copied to another organisation, or under another name, does not open', async () => {
  const thief = await store.addTenant();
  await tenant.run((tx) => putSecret(tx, box, 'a', 'sk-canary'));
  const admin = openDatabase(store.database.adminUrl);
  await sql`
    insert into lamb.organization_secrets (organization_id, name, key_id, ciphertext)
    select ${thief.organizationId}::uuid, name, key_id, ciphertext from lamb.organization_secrets
      where organization_id = ${tenant.organizationId}
    union all select organization_id, 'b', key_id, ciphertext from lamb.organization_secrets
      where organization_id = ${tenant.organizationId}`.execute(admin);
  await admin.destroy();
  await expect(thief.run((tx) => getSecret(tx, box, 'a'))).rejects.toThrow('cannot be opened');
  await expect(tenant.run((tx) => getSecret(tx, box, 'b'))).rejects.toThrow('cannot be opened');
  expect(await tenant.run((tx) => getSecret(tx, box, 'a'))).toBe('sk-canary');
});

test('after rotation the old key is no longer needed', async () => {
  await tenant.run((tx) => putSecret(tx, box, 'a', 'one'));
  const rotated = createSecretBox({ current: 'k2', keys });
  await tenant.run((tx) => putSecret(tx, rotated, 'b', 'two'));
  expect(await tenant.run((tx) => rotateSecrets(tx, rotated))).toBe(1);
  expect(await tenant.run((tx) => rotateSecrets(tx, rotated))).toBe(0);
  const onlyNew = createSecretBox({ current: 'k2', keys: { k2: keys.k2 } });
  expect(await tenant.run((tx) => getSecret(tx, onlyNew, 'a'))).toBe('one');
  expect(await tenant.run((tx) => getSecret(tx, onlyNew, 'b'))).toBe('two');
});
