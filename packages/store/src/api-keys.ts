import { createHash, randomBytes } from 'node:crypto';
import { sql, type Generated } from 'kysely';
import type { DbOrTx } from './database.ts';
import {
  chooseRowCount,
  cutPage,
  decodeCursor,
  readExactTime,
  readUuid,
  tellExactTime,
  type Page,
  type PageRequest,
} from './keyset.ts';
import { membershipColumns, toMembership, type Membership } from './memberships.ts';
import { executePrepared } from './prepared-statements.ts';
import { bannedNow } from './users.ts';
import type { TenantTx } from './with-tenant.ts';

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
  lastRequest: Date | null;
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
  /** To the minute. */
  lastUsedAt: Date | null;
}

/** A key as the administrators of its organisation see it. */
export interface HeldApiKey extends ApiKey {
  holder: { name: string; email: string };
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

/** A key and the membership it stands for; both may be switched off or expired, the caller decides. */
export interface FoundApiKey {
  key: ApiKey;
  membership: Membership;
}

export async function findApiKeyByDigest(db: DbOrTx, digest: string): Promise<FoundApiKey | undefined> {
  const [row] = await executePrepared(db, selectKeysWithMembership(db).where('k.key', '=', digest));
  return row && toFoundApiKey(row);
}

export async function findApiKey(db: DbOrTx, id: string): Promise<FoundApiKey | undefined> {
  const [row] = await executePrepared(db, selectKeysWithMembership(db).where('k.id', '=', id));
  return row && toFoundApiKey(row);
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

/** Everybody's keys in the organisation, newest first. */
export async function listHeldApiKeys(tx: TenantTx, page: PageRequest): Promise<Page<HeldApiKey>> {
  const after = decodeCursor('created', page.cursor);
  let query = selectApiKeys(tx)
    .innerJoin('auth.user as u', (join) => join.on(sql<boolean>`u.id = k."referenceId"::uuid`))
    .select(['u.name as holderName', 'u.email as holderEmail', tellExactTime('k.createdAt').as('position')])
    .where('k.organizationId', '=', tx.organizationId)
    .orderBy('k.createdAt', 'desc')
    .orderBy('k.id', 'desc')
    .limit(sql.lit(chooseRowCount(page.limit)));
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(k."createdAt", k.id) < (${readExactTime(after)}::timestamptz, ${readUuid(after.id)}::uuid)`,
    );
  }
  return cutPage(
    await query.execute(),
    page.limit,
    'created',
    (row) => ({ value: row.position, id: row.keyId }),
    (row) => ({ ...toApiKey(row), holder: { name: row.holderName, email: row.holderEmail } }),
  );
}

/** Says that a key was used just now. */
export async function noteApiKeyUse(db: DbOrTx, id: string): Promise<void> {
  await db
    .updateTable('auth.apikey')
    .set({ lastRequest: sql<Date>`now()` })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce("lastRequest" < now() - interval '1 minute', true)`)
    .execute();
}

/** Removes a key of the organisation and returns its digest, so that caches can forget it; undefined when there is no such key, or it is not its holder's. */
export async function revokeApiKey(
  db: DbOrTx,
  key: { id: string; organizationId: string; holderId?: string | undefined },
): Promise<string | undefined> {
  let removing = db
    .deleteFrom('auth.apikey')
    .where('id', '=', key.id)
    .where('organizationId', '=', key.organizationId)
    .returning('key');
  if (key.holderId !== undefined) removing = removing.where('referenceId', '=', key.holderId);
  return (await removing.executeTakeFirst())?.key;
}

function selectKeysWithMembership(db: DbOrTx) {
  return selectApiKeys(db)
    .innerJoin('auth.user as u', (join) => join.on(sql<boolean>`u.id = k."referenceId"::uuid`))
    .innerJoin('auth.member as m', (join) =>
      join.onRef('m.userId', '=', 'u.id').onRef('m.organizationId', '=', 'k.organizationId'),
    )
    .innerJoin('auth.organization as o', 'o.id', 'm.organizationId')
    .select(membershipColumns)
    .select(bannedNow.as('banned'));
}

function toFoundApiKey(row: Parameters<typeof toApiKey>[0] & Parameters<typeof toMembership>[0]): FoundApiKey {
  return { key: toApiKey(row), membership: toMembership(row) };
}

function selectApiKeys(db: DbOrTx) {
  return db
    .selectFrom('auth.apikey as k')
    .select(['k.id as keyId', 'k.name as keyName', 'k.start', 'k.referenceId', 'k.organizationId as keyOrganizationId'])
    .select(['k.assistantIds', 'k.trustedGateway', 'k.enabled as keyEnabled', 'k.expiresAt', 'k.createdAt'])
    .select('k.lastRequest');
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
  lastRequest: Date | null;
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
    lastUsedAt: row.lastRequest,
  };
}
