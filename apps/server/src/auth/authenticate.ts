import { AppError, type EndUser, type Principal } from '@lamb/contract';
import {
  digestApiKey,
  findApiKeyByDigest,
  findMembership,
  listMembershipsOfUser,
  type Db,
  type Membership,
} from '@lamb/store';
import { fromNodeHeaders } from 'better-auth/node';
import type { IncomingHttpHeaders } from 'node:http';
import type { Auth } from './create-auth.ts';
import type { KeyCache } from './key-cache.ts';
import { readForwardedUser } from './read-forwarded-user.ts';
import { toRole } from './to-role.ts';

interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
}

export interface Authenticator {
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

  async function fromApiKey(key: string, headers: IncomingHttpHeaders): Promise<Principal> {
    const digest = digestApiKey(key);
    const found = await keyCache.find(digest, () => findApiKeyByDigest(db, digest));
    if (!found?.key.enabled || (found.key.expiresAt && found.key.expiresAt <= new Date())) {
      throw new AppError('unauthenticated', { message: 'This API key is not known, or no longer valid.' });
    }
    const { key: apiKey, membership } = found;
    const holder = toPrincipal(membership, { via: 'api_key', keyId: apiKey.id, assistants: apiKey.assistants });
    const forwarded = apiKey.trustedGateway ? readForwardedUser(headers) : undefined;
    return forwarded ? { ...holder, endUser: forwarded } : holder;
  }

  async function fromSession(headers: IncomingHttpHeaders, method: string): Promise<Principal | undefined> {
    const session = await auth.api.getSession({ headers: fromNodeHeaders(headers) });
    if (!session) return undefined;
    refuseForeignOrigin(headers, method, allowedOrigins);
    const active = session.session.activeOrganizationId;
    const membership = active
      ? await findMembership(db, session.user.id, active)
      : (await listMembershipsOfUser(db, session.user.id))[0];
    if (!membership) {
      throw new AppError('forbidden', { message: 'You do not belong to an organisation, or no longer to this one.' });
    }
    return toPrincipal(membership, { via: 'session', assistants: 'all' });
  }

  return {
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

/** A cookie is sent by any page the browser shows; only our own pages may act with it. */
function refuseForeignOrigin(headers: IncomingHttpHeaders, method: string, allowed: ReadonlySet<string>): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  const { origin } = headers;
  if (origin !== undefined && allowed.has(origin)) return;
  if (origin === undefined && headers['sec-fetch-site'] === 'same-origin') return;
  throw new AppError('forbidden', { message: 'This request comes from another site.' });
}

function toPrincipal(
  membership: Membership,
  credential: Pick<Principal, 'via' | 'assistants'> & { keyId?: string },
): Principal {
  const { user, organization } = membership;
  if (!user.enabled || user.banned) throw new AppError('account_disabled');
  if (organization.status === 'suspended') throw new AppError('organization_suspended');
  const endUser: EndUser = {
    id: user.id,
    email: user.email,
    name: user.name,
    ...(user.lmsUserId === null ? {} : { lmsUserId: user.lmsUserId }),
  };
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    organizationId: organization.id,
    role: toRole(membership),
    systemAdmin: user.systemAdmin,
    endUser,
    ...credential,
  };
}
