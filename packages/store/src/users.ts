import { sql, type Generated } from 'kysely';
import type { DbOrTx } from './database.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface UserTable {
  id: Generated<string>;
  email: string;
  name: string;
  emailVerified: Generated<boolean>;
  role: string | null;
  banned: boolean | null;
  banExpires: Date | null;
  enabled: Generated<boolean>;
  kind: Generated<UserKind>;
  lmsUserId: string | null;
  language: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

/** How somebody signs in; of it, only whether there is a password. */
export interface AccountTable {
  id: Generated<string>;
  userId: string;
  password: string | null;
}

export type UserKind = 'creator' | 'end_user';

export interface User {
  id: string;
  email: string;
  name: string;
  kind: UserKind;
  lmsUserId: string | null;
  enabled: boolean;
  /** Banned at this moment: a ban may have an end. */
  banned: boolean;
  systemAdmin: boolean;
}

/** For queries that call the user's row `u`. */
export const bannedNow = sql<boolean>`(coalesce(u.banned, false) and coalesce(u."banExpires" > now(), true))`;

/** The user with this e-mail address, however it is capitalised. */
export async function findUserByEmail(db: DbOrTx, email: string): Promise<User | undefined> {
  const [row] = await executePrepared(db, selectUsers(db).where(sql<boolean>`lower(u.email) = lower(${email})`));
  return row === undefined ? undefined : toUser(row);
}

export async function findUser(db: DbOrTx, id: string): Promise<User | undefined> {
  const row = await selectUsers(db).where('u.id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : toUser(row);
}

/** What a person sees and sets of their own account. */
export interface Profile {
  name: string;
  /** Null: whatever their browser prefers. */
  language: string | null;
  hasPassword: boolean;
}

export async function getProfile(db: DbOrTx, userId: string): Promise<Profile> {
  return await db
    .selectFrom('auth.user as u')
    .select(['u.name', 'u.language'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('auth.account as a')
          .select('a.id')
          .whereRef('a.userId', '=', 'u.id')
          .where('a.password', 'is not', null),
      )
        .$castTo<boolean>()
        .as('hasPassword'),
    )
    .where('u.id', '=', userId)
    .executeTakeFirstOrThrow();
}

export async function updateProfile(
  db: DbOrTx,
  userId: string,
  change: Partial<Pick<Profile, 'name' | 'language'>>,
): Promise<void> {
  await db
    .updateTable('auth.user')
    .set({ ...change, updatedAt: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute();
}

/** The members of the organisation with these e-mail addresses; addresses of others are simply missing. */
export async function findMembersByEmail(tx: TenantTx, emails: readonly string[]): Promise<User[]> {
  const rows = await selectUsers(tx)
    .innerJoin('auth.member as m', 'm.userId', 'u.id')
    .where('m.organizationId', '=', tx.organizationId)
    .where(sql<boolean>`lower(u.email) in (select lower(wanted) from unnest(${emails}::text[]) as wanted)`)
    .execute();
  return rows.map(toUser);
}

/** Whether a user administers the whole installation; the column holds a comma-separated list. */
export function isSystemAdmin(role: string | null): boolean {
  return role?.split(',').includes('admin') ?? false;
}

function selectUsers(db: DbOrTx) {
  return db
    .selectFrom('auth.user as u')
    .select(['u.id', 'u.email', 'u.name', 'u.kind', 'u.lmsUserId', 'u.enabled', 'u.role', bannedNow.as('banned')]);
}

function toUser({ role, ...user }: Omit<User, 'systemAdmin'> & { role: string | null }): User {
  return { ...user, systemAdmin: isSystemAdmin(role) };
}
