import { AppError } from '@lamb/contract';
import { withTenant, type Db, type TenantTx } from '@lamb/store';
import { randomBytes } from 'node:crypto';

const ORGANIZATION_BYTES = 16;
const SECRET_BYTES = 32;

/** Makes the secret part of an invitation's link. It begins with the organisation, so that it is looked up only there. */
export function createInvitationToken(organizationId: string): string {
  const organization = Buffer.from(organizationId.replaceAll('-', ''), 'hex');
  return Buffer.concat([organization, randomBytes(SECRET_BYTES)]).toString('base64url');
}

/**
 * Does something with an invitation in its organisation. Whatever is wrong with it, or with the organisation, is said in
 * the same words: whoever tries tokens learns nothing.
 */
export async function openInvitation<Result>(
  db: Db,
  token: string,
  work: (tx: TenantTx, organization: { id: string; name: string }) => Promise<Result | undefined>,
): Promise<Result> {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== ORGANIZATION_BYTES + SECRET_BYTES || bytes.toString('base64url') !== token) throw invalid();
  const id = toUuid(bytes.subarray(0, ORGANIZATION_BYTES));
  const organization = await db
    .selectFrom('auth.organization')
    .select(['id', 'name'])
    .where('id', '=', id)
    .where('status', '!=', 'suspended')
    .executeTakeFirst();
  if (!organization) throw invalid();
  const result = await withTenant(db, id, (tx) => work(tx, organization));
  if (result === undefined) throw invalid();
  return result;
}

function toUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function invalid(): AppError {
  return new AppError('not_found', {
    message: 'This invitation is not valid: it was used or revoked, or has expired. Ask for a new one.',
  });
}
