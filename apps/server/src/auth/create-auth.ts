import { apiKey } from '@better-auth/api-key';
import { errorCatalogue } from '@lamb/contract';
import { listMembershipsOfUser, type Db } from '@lamb/store';
import { betterAuth } from 'better-auth';
import { APIError } from 'better-auth/api';
import { admin, genericOAuth, organization } from 'better-auth/plugins';
import type { FastifyBaseLogger } from 'fastify';
import type { Config, OidcProvider } from '../config.ts';
import { explainAuthError } from './explain-auth-error.ts';
import { joinOrganization, refuseStranger } from './join-organization.ts';

/** How long a password must be. */
export const MIN_PASSWORD_LENGTH = 10;

/** The settings of sign-in that decide which tables it needs; the migrations are compiled from the same ones. */
function tableOptions(db: Db) {
  return {
    database: { db, type: 'postgres' as const, transaction: true, schemaName: 'auth' },
    advanced: { database: { generateId: 'uuid' as const } },
    user: {
      additionalFields: {
        enabled: { type: 'boolean' as const, defaultValue: true, input: false },
        kind: { type: 'string' as const, defaultValue: 'creator', input: false },
        lmsUserId: { type: 'string' as const, required: false, input: false },
      },
    },
  };
}

const organizationOptions = {
  allowUserToCreateOrganization: false,
  schema: {
    organization: {
      additionalFields: { status: { type: 'string' as const, defaultValue: 'active', input: false } },
    },
  },
};

/** Sign-in by e-mail and password or an identity provider, with sessions, organisations and API keys in our database. */
export function createAuth(
  db: Db,
  config: Pick<Config, 'publicUrl' | 'authSecret' | 'trustedOrigins' | 'oidcProviders'>,
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info' | 'debug'>,
) {
  const tables = tableOptions(db);
  const findProvider = (wanted: string) => config.oidcProviders.find(({ id }) => id === wanted);
  return betterAuth({
    ...tables,
    user: {
      ...tables.user,
      validateUserInfo: async ({ user, source }) => {
        const provider = findProvider(source.oauth?.providerId ?? '');
        if (!provider || source.action === 'sign-in') return;
        return await refuseStranger(db, provider, source.action === 'link-account' ? user.id : undefined);
      },
    },
    baseURL: config.publicUrl,
    basePath: '/api/auth',
    secret: config.authSecret,
    trustedOrigins: [...config.trustedOrigins],
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: 200,
    },
    advanced: {
      ...tables.advanced,
      useSecureCookies: config.publicUrl.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
      // Said explicitly, because an environment with TEST or NODE_ENV=test would otherwise switch both checks off.
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    // Its own page, instead of a redirect to a page that may not exist.
    onAPIError: {
      customizeDefaultErrorPage: {},
      // What is no answer of its own becomes one of ours, and not an empty 500.
      onError(error) {
        const explained = explainAuthError(error);
        if (explained !== error || !(error instanceof APIError)) throw explained;
        if (error.status === 'INTERNAL_SERVER_ERROR') log.error({ err: error }, 'sign-in failed');
      },
    },
    telemetry: { enabled: false },
    // Its own limit would be three sign-ins in ten seconds for everybody behind one address; ours is in the route.
    rateLimit: { enabled: false },
    logger: {
      log: (level, message, ...details: unknown[]) => {
        // Of the details only errors: the others may hold what a person or a provider sent.
        log[level]({ err: details.find((detail) => detail instanceof Error) }, `sign-in: ${message}`);
      },
    },
    plugins: [
      organization(organizationOptions),
      // Keys are made and checked by our own routes; better-auth's would not know their organisation.
      apiKey({ enableMetadata: false }),
      admin(),
      genericOAuth({ config: config.oidcProviders.map(toOAuthConfig) }),
    ],
    account: { updateAccountOnSignIn: false },
    databaseHooks: {
      account: {
        create: {
          // We never act at the identity provider in the person's name, so what would allow it is not kept.
          before: (account) =>
            Promise.resolve({ data: { ...account, accessToken: null, refreshToken: null, idToken: null } }),
          after: async ({ providerId, userId }) => {
            const provider = findProvider(providerId);
            if (provider) await joinOrganization(db, provider, userId);
          },
        },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            const user = await db.selectFrom('auth.user').select('enabled').where('id', '=', userId).executeTakeFirst();
            const memberships = await listMembershipsOfUser(db, userId);
            const isLetIn = memberships.length === 0 || memberships.some(({ enabled }) => enabled);
            if (user?.enabled === true && isLetIn) return;
            const { message, next } = errorCatalogue.account_disabled;
            throw new APIError('FORBIDDEN', { code: 'account_disabled', message: `${message} ${next}` });
          },
        },
      },
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;

function toOAuthConfig(provider: OidcProvider) {
  return {
    providerId: provider.id,
    discoveryUrl: provider.discovery_url,
    clientId: provider.client_id,
    clientSecret: provider.client_secret,
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
  };
}
