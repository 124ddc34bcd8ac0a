import { sql, type Generated } from 'kysely';
import type { SealedSecret, SecretBox } from './secret-box.ts';
import type { TenantTx } from './with-tenant.ts';

export interface OrganizationSecretTable {
  organization_id: Generated<string>;
  name: string;
  key_id: string;
  ciphertext: Buffer;
  updated_at: Generated<Date>;
}

export async function putSecret(tx: TenantTx, box: SecretBox, name: string, secret: string): Promise<void> {
  const { keyId, ciphertext } = box.seal(secret, describePlace(tx, name));
  await tx
    .insertInto('lamb.organization_secrets')
    .values({ name, key_id: keyId, ciphertext })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'name'])
        .doUpdateSet({ key_id: keyId, ciphertext, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

export async function getSecret(tx: TenantTx, box: SecretBox, name: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('lamb.organization_secrets')
    .select(['key_id as keyId', 'ciphertext'])
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? undefined : openSecret(tx, box, name, row);
}

/** Opens what was kept under a name. For the moment of use only. */
export function openSecret(tx: TenantTx, box: SecretBox, name: string, sealed: SealedSecret): string {
  return box.open(sealed, describePlace(tx, name));
}

export async function listSecretNames(tx: TenantTx): Promise<string[]> {
  const rows = await tx.selectFrom('lamb.organization_secrets').select('name').orderBy('name').execute();
  return rows.map((row) => row.name);
}

export async function deleteSecret(tx: TenantTx, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('lamb.organization_secrets')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Seals with the current key what was sealed with an older one, and returns how many there were. */
export async function rotateSecrets(tx: TenantTx, box: SecretBox): Promise<number> {
  const rows = await tx
    .selectFrom('lamb.organization_secrets')
    .select(['name', 'key_id as keyId', 'ciphertext'])
    .where('key_id', '!=', box.currentKeyId)
    .forUpdate()
    .execute();
  for (const row of rows) await putSecret(tx, box, row.name, openSecret(tx, box, row.name, row));
  return rows.length;
}

/** Bound into the ciphertext: a row that is copied to another organisation or name does not open there. */
function describePlace(tx: TenantTx, name: string): string {
  return `organisation ${tx.organizationId}, ${name}`;
}
