import { sql, type ColumnType, type Generated } from 'kysely';
import { deleteSecret, getAllSecrets, listSecretNames, putSecret } from './organization-secrets.ts';
import { executePrepared } from './prepared-statements.ts';
import type { SecretBox } from './secret-box.ts';
import { hasPlaceFor, insertSecrets, separateSecrets } from './separate-secrets.ts';
import type { TenantTx } from './with-tenant.ts';

export interface OrganizationSettingsTable {
  organization_id: Generated<string>;
  config: ColumnType<Record<string, unknown>, string, string>;
  updated_at: Generated<Date>;
}

/** The organisation's configuration without its secrets; empty when it has none yet. */
export async function getOrganizationConfig(tx: TenantTx): Promise<Record<string, unknown>> {
  const [row] = await executePrepared(tx, tx.selectFrom('lamb.organization_settings').select('config'));
  return row?.config ?? {};
}

/** The configuration with its secrets in their places. For the moment of use only: never for an answer, a log or an export. */
export async function getOrganizationConfigWithSecrets(tx: TenantTx, box: SecretBox): Promise<Record<string, unknown>> {
  return insertSecrets(await getOrganizationConfig(tx), await getAllSecrets(tx, box));
}

/**
 * Replaces the configuration. Secrets in it are taken out and sealed; one that is not mentioned keeps its value, since
 * readers never see it; an empty one, or one whose surroundings are gone, is forgotten.
 */
export async function putOrganizationConfig(
  tx: TenantTx,
  box: SecretBox,
  config: Record<string, unknown>,
): Promise<void> {
  const separated = separateSecrets(config);
  const json = JSON.stringify(separated.config);
  await tx
    .insertInto('lamb.organization_settings')
    .values({ config: json })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet({ config: json, updated_at: sql<Date>`now()` }),
    )
    .execute();
  for (const [name, secret] of separated.secrets) {
    if (secret !== null) await putSecret(tx, box, name, secret);
  }
  for (const name of await listSecretNames(tx)) {
    const forget = separated.secrets.get(name) === null || !hasPlaceFor(separated.config, name);
    if (name.startsWith('/') && forget) await deleteSecret(tx, name);
  }
}
