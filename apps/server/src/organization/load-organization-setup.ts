import { getOrganizationConfigWithSecrets, type SecretBox, type TenantTx } from '@lamb/store';
import { readOrganizationSetup, type OrganizationSetup } from './read-organization-setup.ts';

/** The organisation's setup with its secrets. For the moment of use only. */
export async function loadOrganizationSetup(tx: TenantTx, secretBox: SecretBox): Promise<OrganizationSetup> {
  return readOrganizationSetup(tx.organizationId, await getOrganizationConfigWithSecrets(tx, secretBox));
}
