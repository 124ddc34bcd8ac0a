import { sql, type Generated, type Insertable } from 'kysely';
import type { DbOrTx } from './database.ts';
import {
  cutPage,
  decodeCursor,
  chooseRowCount,
  readExactTime,
  readUuid,
  tellExactTime,
  type Page,
  type PageRequest,
} from './keyset.ts';
import type { OrganizationStatus } from './organizations.ts';
import { executePrepared } from './prepared-statements.ts';
import { bannedNow, isSystemAdmin, type User } from './users.ts';
import type { TenantTx } from './with-tenant.ts';

export interface MemberTable {
  id: Generated<string>;
  organizationId: string;
  userId: string;
  role: string;
  enabled: Generated<boolean>;
  emailConfirmed: Generated<boolean>;
  lastSeenAt: Date | null;
  createdAt: Generated<Date>;
}

/** A person in an organisation: everything that decides whether and as what they may come in. */
export interface Membership {
  user: User;
  organization: { id: string; name: string; slug: string; status: OrganizationStatus };
  /** As better-auth keeps it: owner, admin, member or end_user, several of them separated by commas. */
  role: string;
  /** Whether the organisation lets them in. The operator may have closed the whole account besides. */
  enabled: boolean;
  /** Whether the organisation vouches that the e-mail address is theirs. */
  emailConfirmed: boolean;
}

export interface Member extends Omit<User, 'kind'> {
  /** Unless both the operator and the organisation let them in, they stay outside. */
  enabled: boolean;
  emailConfirmed: boolean;
  role: string;
  joinedAt: Date;
  lastSeenAt: Date | null;
}

export interface MemberListRequest extends PageRequest {
  /** Part of a name or an e-mail address. */
  search?: string | undefined;
}

/** For queries that call the rows of user, member and organisation `u`, `m` and `o`. */
export const membershipColumns = [
  'u.id as userId',
  'u.email',
  'u.name as userName',
  'u.kind',
  'u.lmsUserId',
  'u.enabled as userEnabled',
  'u.role as systemRole',
  'm.role',
  'm.enabled as memberEnabled',
  'm.emailConfirmed',
  'o.id as organizationId',
  'o.name as organizationName',
  'o.slug as organizationSlug',
  'o.status as organizationStatus',
] as const;

interface MembershipRow {
  userId: string;
  email: string;
  userName: string;
  kind: User['kind'];
  lmsUserId: string | null;
  userEnabled: boolean;
  banned: boolean;
  systemRole: string | null;
  role: string;
  memberEnabled: boolean;
  emailConfirmed: boolean;
  organizationId: string;
  organizationName: string;
  organizationSlug: string;
  organizationStatus: OrganizationStatus;
}

export async function findMembership(
  db: DbOrTx,
  userId: string,
  organizationId: string,
): Promise<Membership | undefined> {
  const [row] = await executePrepared(
    db,
    selectMemberships(db).where('m.userId', '=', userId).where('m.organizationId', '=', organizationId),
  );
  return row === undefined ? undefined : toMembership(row);
}

/** The organisations a user belongs to, oldest membership first. */
export async function listMembershipsOfUser(db: DbOrTx, userId: string): Promise<Membership[]> {
  const rows = await selectMemberships(db)
    .where('m.userId', '=', userId)
    .orderBy('m.createdAt')
    .orderBy('m.id')
    .limit(1000)
    .execute();
  return rows.map(toMembership);
}

/** The members of the organisation, newest first. */
export async function listMembers(tx: TenantTx, page: MemberListRequest): Promise<Page<Member>> {
  const count = chooseRowCount(page.limit);
  const after = decodeCursor('joined', page.cursor);
  let query = selectMembers(tx)
    .select(tellExactTime('m.createdAt').as('position'))
    .orderBy('m.createdAt', 'desc')
    .orderBy('m.id', 'desc')
    .limit(sql.lit(count));
  if (page.search !== undefined) {
    query = query.where(sql<boolean>`strpos(lower(u.name || E'\n' || u.email), lower(${page.search})) > 0`);
  }
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(m."createdAt", m.id) < (${readExactTime(after)}::timestamptz, ${readUuid(after.id)}::uuid)`,
    );
  }
  const rows = await executePrepared(tx, query);
  return cutPage(rows, page.limit, 'joined', (row) => ({ value: row.position, id: row.memberId }), toMember);
}

export async function getMember(tx: TenantTx, userId: string): Promise<Member | undefined> {
  const row = await selectMembers(tx).where('m.userId', '=', userId).executeTakeFirst();
  return row === undefined ? undefined : toMember(row);
}

/** Makes somebody a member. False when they are one already: then they stay what they are. */
export async function addMember(
  tx: TenantTx,
  member: Pick<Insertable<MemberTable>, 'userId' | 'role' | 'emailConfirmed'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('auth.member')
    .values({ organizationId: tx.organizationId, ...member })
    .onConflict((conflict) => conflict.columns(['userId', 'organizationId']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** Notes that a member was here, unless that was noted a moment ago. */
export async function noteVisit(db: DbOrTx, userId: string, organizationId: string): Promise<void> {
  await db
    .updateTable('auth.member')
    .set({ lastSeenAt: sql<Date>`now()` })
    .where('userId', '=', userId)
    .where('organizationId', '=', organizationId)
    .where(sql<boolean>`coalesce("lastSeenAt" < now() - interval '1 minute', true)`)
    .execute();
}

function selectMembers(tx: TenantTx) {
  return tx
    .selectFrom('auth.member as m')
    .innerJoin('auth.user as u', 'u.id', 'm.userId')
    .select(['u.id', 'u.email', 'u.name', 'u.lmsUserId', 'u.role as systemRole', 'm.role', 'm.emailConfirmed'])
    .select(sql<boolean>`u.enabled and m.enabled`.as('enabled'))
    .select(['m.createdAt as joinedAt', 'm.lastSeenAt', 'm.id as memberId', bannedNow.as('banned')])
    .where('m.organizationId', '=', tx.organizationId);
}

type MemberRow = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>;

function toMember(row: MemberRow): Member {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    lmsUserId: row.lmsUserId,
    enabled: row.enabled,
    banned: row.banned,
    systemAdmin: isSystemAdmin(row.systemRole),
    emailConfirmed: row.emailConfirmed,
    role: row.role,
    joinedAt: row.joinedAt,
    lastSeenAt: row.lastSeenAt,
  };
}

export function toMembership(row: MembershipRow): Membership {
  return {
    user: {
      id: row.userId,
      email: row.email,
      name: row.userName,
      kind: row.kind,
      lmsUserId: row.lmsUserId,
      enabled: row.userEnabled,
      banned: row.banned,
      systemAdmin: isSystemAdmin(row.systemRole),
    },
    organization: {
      id: row.organizationId,
      name: row.organizationName,
      slug: row.organizationSlug,
      status: row.organizationStatus,
    },
    role: row.role,
    enabled: row.memberEnabled,
    emailConfirmed: row.emailConfirmed,
  };
}

function selectMemberships(db: DbOrTx) {
  return db
    .selectFrom('auth.member as m')
    .innerJoin('auth.user as u', 'u.id', 'm.userId')
    .innerJoin('auth.organization as o', 'o.id', 'm.organizationId')
    .select(membershipColumns)
    .select(bannedNow.as('banned'));
}
