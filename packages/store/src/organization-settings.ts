import { AppError } from '@lamb/contract';
import { sql, type ColumnType, type Generated } from 'kysely';
import { mergePatch } from './merge-patch.ts';
import { deleteSecret, listSecretNames, openSecret, putSecret } from './organization-secrets.ts';
import { executePrepared } from './prepared-statements.ts';
import type { SecretBox } from './secret-box.ts';
import { hasMoved, hasPlaceFor, insertSecrets, separateSecrets, type SecretChanges } from './separate-secrets.ts';
import type { TenantTx } from './with-tenant.ts';

export interface OrganizationSettingsTable {
  organization_id: Generated<string>;
  config: ColumnType<Record<string, unknown>, string, string>;
  version: Generated<number>;
  updated_at: Generated<Date>;
}

/** The organisation's configuration without its secrets; empty when it has none yet. */
export async function getOrganizationConfig(tx: TenantTx): Promise<Record<string, unknown>> {
  const [row] = await executePrepared(tx, tx.selectFrom('lamb.organization_settings').select('config'));
  return row?.config ?? {};
}

/** The configuration with its secrets in their places. For the moment of use only: never for an answer, a log or an export. */
export async function getOrganizationConfigWithSecrets(tx: TenantTx, box: SecretBox): Promise<Record<string, unknown>> {
  const rows = await executePrepared(tx, { compile: () => configAndSecrets.compile(tx) });
  const secrets = new Map<string, string>();
  let config: Record<string, unknown> = {};
  for (const row of rows) {
    if (row.name === null) config = row.config;
    else secrets.set(row.name, openSecret(tx, box, row.name, row));
  }
  return insertSecrets(config, secrets);
}

/** Every turn and every search begins with it: one round trip for both. */
const configAndSecrets = sql<
  { name: null; config: Record<string, unknown> } | { name: string; keyId: string; ciphertext: Buffer }
>`
  select null as name, config, null as "keyId", null as ciphertext from lamb.organization_settings
  union all
  select name, null, key_id, ciphertext from lamb.organization_secrets`;

/** The configuration without its secrets, and the number of its changes; 0 when nobody has configured anything yet. */
export async function getVersionedConfig(tx: TenantTx): Promise<{ config: Record<string, unknown>; version: number }> {
  const row = await tx.selectFrom('lamb.organization_settings').select(['config', 'version']).executeTakeFirst();
  return row ?? { config: {}, version: 0 };
}

/**
 * Replaces the configuration. Secrets in it are taken out and sealed; one that is not mentioned keeps its value, since
 * readers never see it; an empty one, or one whose surroundings are gone, is forgotten. So is one whose address moves to
 * another origin: whoever may change addresses could otherwise have it sent to a server of theirs. `stale_update` when
 * `expectedVersion` is not its version.
 */
export async function putOrganizationConfig(
  tx: TenantTx,
  box: SecretBox,
  config: Record<string, unknown>,
  expectedVersion?: number,
): Promise<void> {
  const before = await lockConfig(tx, expectedVersion);
  const separated = separateSecrets(config);
  await writeConfig(tx, box, before.config, separated);
}

/**
 * Changes the parts of the configuration that a JSON merge patch names, and leaves what others change at the same time
 * alone. `check` sees the result before it is written. Secrets as in `putOrganizationConfig`.
 */
export async function patchOrganizationConfig(
  tx: TenantTx,
  box: SecretBox,
  patch: Record<string, unknown>,
  { expectedVersion, check }: { expectedVersion?: number | undefined; check: (config: unknown) => void },
): Promise<void> {
  const before = await lockConfig(tx, expectedVersion);
  const { config, secrets } = separateSecrets(patch);
  const merged = mergePatch(before.config, config);
  check(merged);
  await writeConfig(tx, box, before.config, { config: merged, secrets });
}

async function lockConfig(tx: TenantTx, expectedVersion: number | undefined) {
  await tx
    .insertInto('lamb.organization_settings')
    .values({ config: '{}', version: 0 })
    .onConflict((conflict) => conflict.column('organization_id').doNothing())
    .execute();
  const row = await tx
    .selectFrom('lamb.organization_settings')
    .select(['config', 'version'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (expectedVersion !== undefined && expectedVersion !== row.version) {
    throw new AppError('stale_update', { details: { version: row.version } });
  }
  return row;
}

async function writeConfig(
  tx: TenantTx,
  box: SecretBox,
  before: Record<string, unknown>,
  { config, secrets }: { config: Record<string, unknown>; secrets: SecretChanges },
): Promise<void> {
  const json = JSON.stringify(config);
  await tx
    .insertInto('lamb.organization_settings')
    .values({ config: json })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet({
        config: json,
        version: sql<number>`organization_settings.version + 1`,
        updated_at: sql<Date>`now()`,
      }),
    )
    .execute();
  for (const [name, secret] of secrets) {
    if (secret !== null) await putSecret(tx, box, name, secret);
  }
  const names = new Set(await listSecretNames(tx));
  for (const name of names) {
    const isNew = typeof secrets.get(name) === 'string';
    const forget =
      secrets.get(name) === null || !hasPlaceFor(config, name) || (!isNew && hasMoved(before, config, name));
    if (!name.startsWith('/') || !forget) continue;
    await deleteSecret(tx, name);
    names.delete(name);
  }
  await tx
    .updateTable('auth.organization')
    .set({ signUpOpen: isSignUpEnabled(config) && names.has(SIGN_UP_KEY) })
    .where('id', '=', tx.organizationId)
    .execute();
}

/** The name of the secret that opens an organisation to whoever knows it. */
export const SIGN_UP_KEY = '/features/signup_key';

function isSignUpEnabled({ features }: Record<string, unknown>): boolean {
  return (
    typeof features === 'object' &&
    features !== null &&
    'signup_enabled' in features &&
    features.signup_enabled === true
  );
}
