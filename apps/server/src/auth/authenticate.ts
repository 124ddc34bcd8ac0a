import { AppError, type Principal } from '@lamb/contract';
import {
  digestApiKey,
  findApiKeyByDigest,
  findMembership,
  findUser,
  listMembershipsOfUser,
  noteApiKeyUse,
  noteVisit,
  type Db,
  type Membership,
} from '@lamb/store';
import { fromNodeHeaders } from 'better-auth/node';
import type { IncomingHttpHeaders } from 'node:http';
import { createRequestLimiter } from '../budget/create-request-limiter.ts';
import type { Auth } from './create-auth.ts';
import { explainAuthError } from './explain-auth-error.ts';
import type { KeyCache } from './key-cache.ts';
import { readForwardedUser } from './read-forwarded-user.ts';
import { refuseForeignOrigin } from './refuse-foreign-origin.ts';
import { requireValidKey, toKeyHolder, toPrincipal } from './to-principal.ts';

interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
}

/** A person who has signed in, in whatever organisation, or in none. */
export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly sessionId: string;
}

export interface Authenticator {
  /** Who is signed in, where it does not matter to which organisation they belong; undefined when nobody is. */
  authenticateAccount(credentials: Credentials): Promise<Account | undefined>;
  /** Turns any credential into a principal; undefined when there is none. A credential that is not valid is an error. */
  authenticate(credentials: Credentials): Promise<Principal | undefined>;
}

/** Makes the one function that turns a credential into a principal, whatever door it came through. */
export function createAuthenticator(services: {
  db: Db;
  auth: Auth;
  keyCache: KeyCache;
  allowedOrigins: ReadonlySet<string>;
}): Authenticator {
  const { db, auth, keyCache, allowedOrigins } = services;
  const visits = createRequestLimiter();

  /** Nobody waits for it, and nothing depends on it. */
  function noteSeen({ user, organization }: Membership): void {
    if (visits.take(`${user.id} ${organization.id}`, 1) !== undefined) return;
    noteVisit(db, user.id, organization.id).catch(() => undefined);
  }

  /** Nobody waits for it either. */
  function noteUsed(keyId: string): void {
    if (visits.take(keyId, 1) !== undefined) return;
    noteApiKeyUse(db, keyId).catch(() => undefined);
  }

  async function readSession(headers: IncomingHttpHeaders) {
    try {
      return await auth.api.getSession({ headers: fromNodeHeaders(headers) });
    } catch (error) {
      throw explainAuthError(error);
    }
  }

  async function fromApiKey(key: string, headers: IncomingHttpHeaders): Promise<Principal> {
    const digest = digestApiKey(key);
    const found = await keyCache.find(digest, () => findApiKeyByDigest(db, digest));
    requireValidKey(found);
    noteSeen(found.membership);
    noteUsed(found.key.id);
    const holder = toKeyHolder(found);
    const forwarded = found.key.trustedGateway ? readForwardedUser(headers) : undefined;
    return forwarded ? { ...holder, endUser: forwarded } : holder;
  }

  async function fromSession(headers: IncomingHttpHeaders, method: string): Promise<Principal | undefined> {
    const session = await readSession(headers);
    if (!session) return undefined;
    refuseForeignOrigin(headers, method, allowedOrigins);
    const active = session.session.activeOrganizationId;
    const membership = active
      ? await findMembership(db, session.user.id, active)
      : chooseFirst(await listMembershipsOfUser(db, session.user.id));
    if (!membership) throw new AppError('no_organization');
    noteSeen(membership);
    return toPrincipal(membership, { via: 'session', assistants: 'all' });
  }

  return {
    async authenticateAccount({ headers, method }) {
      if (headers.cookie === undefined) return undefined;
      const session = await readSession(headers);
      if (!session) return undefined;
      refuseForeignOrigin(headers, method, allowedOrigins);
      const user = await findUser(db, session.user.id);
      if (!user?.enabled || user.banned) throw new AppError('account_disabled');
      return { userId: user.id, email: user.email, sessionId: session.session.id };
    },
    async authenticate({ headers, method }) {
      const key = readBearer(headers);
      if (key !== undefined) return await fromApiKey(key, headers);
      return headers.cookie === undefined ? undefined : await fromSession(headers, method);
    },
  };
}

const MAX_KEY_LENGTH = 500;

function readBearer({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme, key, ...rest] = authorization.split(' ');
  const wellFormed = scheme?.toLowerCase() === 'bearer' && rest.length === 0 && key !== undefined && key !== '';
  if (!wellFormed || key.length > MAX_KEY_LENGTH) {
    throw new AppError('unauthenticated', { message: 'The Authorization header must be `Bearer <key>`.' });
  }
  return key;
}

/** Where somebody is who has not chosen: where they have been longest, if they are let in there. */
function chooseFirst(memberships: readonly Membership[]): Membership | undefined {
  return (
    memberships.find(({ enabled, organization }) => enabled && organization.status !== 'suspended') ?? memberships[0]
  );
}
