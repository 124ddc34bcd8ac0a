import type { SecretKeys } from '@lamb/store';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** One identity provider that people may sign in with. */
export const OidcProvider = z.object({
  id: z.string().regex(/^[a-z0-9-]+$/),
  name: z.string(),
  discovery_url: z.url(),
  client_id: z.string(),
  client_secret: z.string(),
  /** The slug of the organisation that people who sign in this way belong to. */
  organization: z.string(),
  role: z.enum(['member', 'end_user']).default('end_user'),
});
export type OidcProvider = z.infer<typeof OidcProvider>;

const Environment = z.object({
  DATABASE_URL: z.string().min(1, 'the database, as the role lamb_app'),
  LAMB_DATABASE_CONNECTIONS: z.coerce.number().int().min(1).max(500).default(20),
  LAMB_JOURNAL_CONNECTIONS: z.coerce.number().int().min(2).max(500).default(10),
  LAMB_RUN_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).default(90),
  LAMB_HOST: z.string().default('127.0.0.1'),
  LAMB_PORT: z.coerce.number().int().min(0).max(65_535).default(9099),
  LAMB_PUBLIC_URL: z.url().optional(),
  LAMB_AUTH_SECRET: z.string().min(32, 'at least 32 characters, for example from `openssl rand -base64 32`'),
  LAMB_SECRET_KEYS: z
    .string()
    .regex(/^[\w-]+:[A-Za-z0-9+/=_-]+(,[\w-]+:[A-Za-z0-9+/=_-]+)*$/, 'must be `id:base64`, the first one encrypts'),
  LAMB_OUTBOUND_ALLOW: list,
  LAMB_WEATHER_GEOCODING_URL: z.url().optional(),
  LAMB_WEATHER_FORECAST_URL: z.url().optional(),
  LAMB_OIDC_PROVIDERS: json(z.array(OidcProvider)).default([]),
  LAMB_TRUSTED_ORIGINS: list,
  LAMB_WEB_FOLDER: z.string().default(fileURLToPath(new URL('../../web/build', import.meta.url))),
  LAMB_EMBED_ORIGINS: list,
  LAMB_TRUST_PROXY: z.stringbool().default(false),
  LAMB_METRICS_TOKEN: z.string().optional(),
  LAMB_MAX_UPLOAD_BYTES: z.coerce.number().int().min(1).default(25_000_000),
  LAMB_JOBS_AT_ONCE: z.coerce.number().int().min(1).max(16).default(2),
  LAMB_EXTRACTION_SECONDS: z.coerce.number().int().min(1).max(3600).default(120),
  LAMB_EXTRACTION_MEGABYTES: z.coerce.number().int().min(128).max(65_536).default(1024),
  LAMB_EMBEDDING_PATIENCE_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
  LAMB_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** The server's settings. Nothing else reads the environment. */
export interface Config {
  readonly databaseUrl: string;
  readonly databaseConnections: number;
  /** Connections of the journal of durable runs, beside those of the store. */
  readonly journalConnections: number;
  readonly runRetentionDays: number;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string;
  readonly authSecret: string;
  readonly secretKeys: SecretKeys;
  /** `host:port` of private addresses that providers, knowledge bases and tools may be reached at. */
  readonly outboundAllow: readonly string[];
  /** Where the tool `weather` asks; undefined: at Open-Meteo. */
  readonly weather: { readonly geocodingUrl: string | undefined; readonly forecastUrl: string | undefined };
  readonly oidcProviders: readonly OidcProvider[];
  readonly trustedOrigins: readonly string[];
  /** The built web app. */
  readonly webFolder: string;
  /** Sites that may show the pages below `/embed/` in a frame. */
  readonly embedOrigins: readonly string[];
  readonly trustProxy: boolean;
  readonly metricsToken: string | undefined;
  readonly maxUploadBytes: number;
  /** How many documents a process reads at a time. */
  readonly jobsAtOnce: number;
  /** How long reading the text of one document may take, and how much memory its process may have. */
  readonly extractionMs: number;
  readonly extractionMegabytes: number;
  /** How long the reading of a document waits for an embedding provider that is busy or down. */
  readonly embeddingPatienceMs: number;
  readonly logLevel: z.infer<typeof Environment>['LAMB_LOG_LEVEL'];
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the environment; what is missing or wrong is said for all variables at once. */
export function readConfig(variables: Variables): Config {
  const env = parseEnvironment(Environment, variables);
  return {
    databaseUrl: env.DATABASE_URL,
    databaseConnections: env.LAMB_DATABASE_CONNECTIONS,
    journalConnections: env.LAMB_JOURNAL_CONNECTIONS,
    runRetentionDays: env.LAMB_RUN_RETENTION_DAYS,
    host: env.LAMB_HOST,
    port: env.LAMB_PORT,
    publicUrl: env.LAMB_PUBLIC_URL ?? `http://${env.LAMB_HOST}:${String(env.LAMB_PORT)}`,
    authSecret: env.LAMB_AUTH_SECRET,
    secretKeys: readSecretKeys(env.LAMB_SECRET_KEYS),
    outboundAllow: env.LAMB_OUTBOUND_ALLOW,
    weather: { geocodingUrl: env.LAMB_WEATHER_GEOCODING_URL, forecastUrl: env.LAMB_WEATHER_FORECAST_URL },
    oidcProviders: env.LAMB_OIDC_PROVIDERS,
    trustedOrigins: env.LAMB_TRUSTED_ORIGINS,
    webFolder: env.LAMB_WEB_FOLDER,
    embedOrigins: env.LAMB_EMBED_ORIGINS,
    trustProxy: env.LAMB_TRUST_PROXY,
    metricsToken: env.LAMB_METRICS_TOKEN,
    maxUploadBytes: env.LAMB_MAX_UPLOAD_BYTES,
    jobsAtOnce: env.LAMB_JOBS_AT_ONCE,
    extractionMs: env.LAMB_EXTRACTION_SECONDS * 1000,
    extractionMegabytes: env.LAMB_EXTRACTION_MEGABYTES,
    embeddingPatienceMs: env.LAMB_EMBEDDING_PATIENCE_SECONDS * 1000,
    logLevel: env.LAMB_LOG_LEVEL,
  };
}

const MigrationEnvironment = z.object({
  LAMB_OWNER_DATABASE_URL: z.string('the database, as the role lamb_owner'),
});

/** Reads what `migrate.ts` needs: only it connects as the owner of the tables. */
export function readMigrationConfig(variables: Variables): { readonly ownerDatabaseUrl: string } {
  return { ownerDatabaseUrl: parseEnvironment(MigrationEnvironment, variables).LAMB_OWNER_DATABASE_URL };
}

function parseEnvironment<Schema extends z.ZodType>(schema: Schema, variables: Variables): z.infer<Schema> {
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The configuration is not complete. Set these environment variables:\n${lines.join('\n')}`);
}

/** The first key seals; the others still open what was sealed with them. */
function readSecretKeys(text: string): SecretKeys {
  const entries = text.split(',').map((item) => {
    const separator = item.indexOf(':');
    return [item.slice(0, separator), item.slice(separator + 1)] as const;
  });
  return { current: entries[0]?.[0] ?? '', keys: Object.fromEntries(entries) };
}
