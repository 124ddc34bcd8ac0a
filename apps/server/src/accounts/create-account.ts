import { AppError, type Role } from '@lamb/contract';
import { findUserByEmail, type Db } from '@lamb/store';
import { MIN_PASSWORD_LENGTH, type Auth } from '../auth/create-auth.ts';

interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly lmsUserId?: string;
  /** Who says that the address is theirs: the operator (default), an administrator who invited them, or only they themselves. */
  readonly vouchedBy?: 'operator' | 'administrator' | 'nobody';
}

const takenAddress = {
  message: 'An account with this e-mail address exists already. Sign in with it; then you can join from there.',
};

/** Makes a person who signs in with a password, as a member of an organisation. Returns their id. */
export async function createAccount({ auth, db }: { auth: Auth; db: Db }, account: NewAccount): Promise<string> {
  const { email, name, password, organizationId, role, lmsUserId, vouchedBy = 'operator' } = account;
  if (password.length < MIN_PASSWORD_LENGTH) {
    throw new Error(`The password of ${email} needs at least ${String(MIN_PASSWORD_LENGTH)} characters.`);
  }
  if (await findUserByEmail(db, email)) throw new AppError('name_taken', takenAddress);
  const { user } = await auth.api.createUser({ body: { email, name, password } });
  try {
    const kind = role === 'end_user' ? 'end_user' : 'creator';
    await db
      .updateTable('auth.user')
      // Of an administrator's word only their own organisation knows.
      .set({ kind, emailVerified: vouchedBy === 'operator', lmsUserId: lmsUserId ?? null })
      .where('id', '=', user.id)
      .execute();
    const emailConfirmed = vouchedBy !== 'nobody';
    await db.insertInto('auth.member').values({ organizationId, userId: user.id, role, emailConfirmed }).execute();
  } catch (error) {
    // better-auth makes the person in a transaction of its own.
    await db.deleteFrom('auth.user').where('id', '=', user.id).execute();
    throw error;
  }
  return user.id;
}
