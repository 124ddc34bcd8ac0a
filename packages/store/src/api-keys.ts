import { createHash, randomBytes } from 'node:crypto';
import { sql, type Generated } from 'kysely';
import type { DbOrTx } from './database.ts';
import { membershipColumns, toMembership, type Membership } from './memberships.ts';
import { executePrepared } from './prepared-statements.ts';
import { bannedNow } from './users.ts';

export interface ApiKeyTable {
  id: Generated<string>;
  configId: Generated<string>;
  key: string;
  name: string | null;
  start: string | null;
  prefix: string | null;
  /** The id of the holder; better-auth keeps it as text. */
  referenceId: string;
  organizationId: string | null;
  assistantIds: number[] | null;
  trustedGateway: Generated<boolean>;
  enabled: boolean | null;
  rateLimitEnabled: boolean | null;
  requestCount: number | null;
  expiresAt: Date | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

export interface ApiKey {
  id: string;
  name: string;
  /** The first characters, to tell one's keys apart. */
  start: string;
  userId: string;
  organizationId: string;
  assistants: 'all' | number[];
  trustedGateway: boolean;
  enabled: boolean;
  expiresAt: Date | null;
  createdAt: Date;
}

export interface NewApiKey {
  userId: string;
  organizationId: string;
  name: string;
  assistants: 'all' | readonly number[];
  trustedGateway: boolean;
  expiresAt?: Date | null;
}

const prefix = 'lamb_';

/** What is kept of a key: better-auth's own digest of it. */
export function digestApiKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** The key with this digest and the membership it stands for; both may be switched off or expired, the caller decides. */
export async function findApiKeyByDigest(
  db: DbOrTx,
  digest: string,
): Promise<{ key: ApiKey; membership: Membership } | undefined> {
  const [row] = await executePrepared(
    db,
    selectApiKeys(db)
      .innerJoin('auth.user as u', (join) => join.on(sql<boolean>`u.id = k."referenceId"::uuid`))
      .innerJoin('auth.member as m', (join) =>
        join.onRef('m.userId', '=', 'u.id').onRef('m.organizationId', '=', 'k.organizationId'),
      )
      .innerJoin('auth.organization as o', 'o.id', 'm.organizationId')
      .select(membershipColumns)
      .select(bannedNow.as('banned'))
      .where('k.key', '=', digest),
  );
  return row === undefined ? undefined : { key: toApiKey(row), membership: toMembership(row) };
}

/** Makes a key. The key itself is in the answer and nowhere else. */
export async function createApiKey(db: DbOrTx, input: NewApiKey): Promise<{ key: string; apiKey: ApiKey }> {
  const key = prefix + randomBytes(32).toString('base64url');
  const { id } = await db
    .insertInto('auth.apikey')
    .values({
      key: digestApiKey(key),
      name: input.name,
      prefix,
      start: key.slice(0, prefix.length + 4),
      referenceId: input.userId,
      organizationId: input.organizationId,
      assistantIds: input.assistants === 'all' ? null : [...input.assistants],
      trustedGateway: input.trustedGateway,
      enabled: true,
      // better-auth's own limit is ten uses a day.
      rateLimitEnabled: false,
      requestCount: 0,
      expiresAt: input.expiresAt ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const row = await selectApiKeys(db).where('k.id', '=', id).executeTakeFirstOrThrow();
  return { key, apiKey: toApiKey(row) };
}

/** A user's keys in an organisation, newest first. */
export async function listApiKeys(db: DbOrTx, userId: string, organizationId: string): Promise<ApiKey[]> {
  const rows = await selectApiKeys(db)
    .where('k.referenceId', '=', userId)
    .where('k.organizationId', '=', organizationId)
    .orderBy('k.createdAt', 'desc')
    .orderBy('k.id')
    .limit(1000)
    .execute();
  return rows.map(toApiKey);
}

/** Removes a user's key and returns its digest, so that caches can forget it; undefined when there is no such key. */
export async function revokeApiKey(
  db: DbOrTx,
  key: { id: string; userId: string; organizationId: string },
): Promise<string | undefined> {
  const removed = await db
    .deleteFrom('auth.apikey')
    .where('id', '=', key.id)
    .where('referenceId', '=', key.userId)
    .where('organizationId', '=', key.organizationId)
    .returning('key')
    .executeTakeFirst();
  return removed?.key;
}

function selectApiKeys(db: DbOrTx) {
  return db
    .selectFrom('auth.apikey as k')
    .select(['k.id as keyId', 'k.name as keyName', 'k.start', 'k.referenceId', 'k.organizationId as keyOrganizationId'])
    .select(['k.assistantIds', 'k.trustedGateway', 'k.enabled as keyEnabled', 'k.expiresAt', 'k.createdAt']);
}

function toApiKey(row: {
  keyId: string;
  keyName: string | null;
  start: string | null;
  referenceId: string;
  keyOrganizationId: string | null;
  assistantIds: number[] | null;
  trustedGateway: boolean;
  keyEnabled: boolean | null;
  expiresAt: Date | null;
  createdAt: Date;
}): ApiKey {
  if (row.keyOrganizationId === null) throw new Error(`The API key ${row.keyId} belongs to no organisation.`);
  return {
    id: row.keyId,
    name: row.keyName ?? '',
    start: row.start ?? '',
    userId: row.referenceId,
    organizationId: row.keyOrganizationId,
    assistants: row.assistantIds ?? 'all',
    trustedGateway: row.trustedGateway,
    enabled: row.keyEnabled ?? true,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
  };
}
