import { apiKey } from '@better-auth/api-key';
import { findOrganizationBySlug, type Db } from '@lamb/store';
import { betterAuth } from 'better-auth';
import { admin, genericOAuth, organization } from 'better-auth/plugins';
import type { Config, OidcProvider } from '../config.ts';

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
) {
  const tables = tableOptions(db);
  return betterAuth({
    ...tables,
    baseURL: config.publicUrl,
    basePath: '/api/auth',
    secret: config.authSecret,
    trustedOrigins: [...config.trustedOrigins],
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 10, maxPasswordLength: 200 },
    advanced: {
      ...tables.advanced,
      useSecureCookies: config.publicUrl.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
    },
    telemetry: { enabled: false },
    plugins: [
      organization(organizationOptions),
      // Keys are made and checked by our own routes; better-auth's would not know their organisation.
      apiKey({ enableMetadata: false }),
      admin(),
      genericOAuth({ config: config.oidcProviders.map(toOAuthConfig) }),
    ],
    disabledPaths: [
      '/api-key/create',
      '/api-key/update',
      '/api-key/verify',
      '/organization/create',
      '/organization/delete',
      '/organization/update',
    ],
    databaseHooks: {
      account: {
        create: {
          after: async ({ providerId, userId }) => {
            const provider = config.oidcProviders.find(({ id }) => id === providerId);
            if (provider) await joinOrganization(db, provider, userId);
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

/** People who sign in through an organisation's identity provider belong to that organisation. */
async function joinOrganization(db: Db, provider: OidcProvider, userId: string): Promise<void> {
  const found = await findOrganizationBySlug(db, provider.organization);
  if (!found) throw new Error(`The identity provider “${provider.id}” names an unknown organisation.`);
  await db.transaction().execute(async (tx) => {
    const kind = provider.role === 'end_user' ? 'end_user' : 'creator';
    await tx.updateTable('auth.user').set({ kind }).where('id', '=', userId).execute();
    await tx
      .insertInto('auth.member')
      .values({ organizationId: found.id, userId, role: 'member' })
      .onConflict((conflict) => conflict.columns(['userId', 'organizationId']).doNothing())
      .execute();
  });
}
