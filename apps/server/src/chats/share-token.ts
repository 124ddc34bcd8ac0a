import { randomBytes } from 'node:crypto';

const ORGANIZATION_BYTES = 16;
const SECRET_BYTES = 24;
const shape = /^[A-Za-z0-9_-]{54}$/;

/** Makes a token that nobody can guess. It says whose it is: rows are found only within an organisation. */
export function makeShareToken(organizationId: string): string {
  const organization = Buffer.from(organizationId.replaceAll('-', ''), 'hex');
  return Buffer.concat([organization, randomBytes(SECRET_BYTES)]).toString('base64url');
}

/** The organisation that a token says it is of; undefined when it is no token. */
export function readShareToken(token: string): string | undefined {
  if (!shape.test(token)) return undefined;
  const hex = Buffer.from(token, 'base64url').subarray(0, ORGANIZATION_BYTES).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
