import { z } from 'zod';

const ModelChoice = z.looseObject({ provider: z.string(), model: z.string() });

/** One model provider of an organisation. `api_key` is write-only: it is stored encrypted and never returned. */
export const ProviderSetup = z.looseObject({
  api_key: z.string().optional(),
  base_url: z.string().optional(),
  models: z.array(z.string()).default([]),
  default_model: z.string().optional(),
  enabled: z.boolean().default(true),
});
export type ProviderSetup = z.infer<typeof ProviderSetup>;

/** A named set of providers and default models. */
export const OrganizationSetup = z.looseObject({
  name: z.string().optional(),
  is_default: z.boolean().optional(),
  global_default_model: ModelChoice.optional(),
  small_fast_model: ModelChoice.optional(),
  fast_model: ModelChoice.optional(),
  providers: z.record(z.string(), ProviderSetup).default({}),
  knowledge_base: z
    .looseObject({
      server_url: z.string().optional(),
      api_token: z.string().optional(),
      /** Whose vectors new collections get unless they say otherwise. */
      embedding: ModelChoice.optional(),
    })
    .optional(),
});

const PerMinute = z.number().int().min(1).max(1_000_000);

/** How many turns may be started in a minute with one key and by one user; a single number holds for both. */
export const RequestsPerMinute = z.union([
  PerMinute,
  z.object({ key: PerMinute.optional(), user: PerMinute.optional() }),
]);

/** What an organisation switches on. `signup_key` is write-only, as every secret. */
export const OrganizationFeatures = z.looseObject({
  signup_enabled: z.boolean().optional(),
  signup_key: z.string().nullable().optional(),
  /** What somebody is who signs up by key; without it a creator, as in existing installations. */
  signup_role: z.enum(['member', 'end_user']).optional(),
  /** Whether a classic assistant is converted to the tools that do the same when it is opened. */
  convert_on_access: z.boolean().optional(),
});

/** What an organisation configures, in the shape that existing installations exchange. */
export const OrganizationConfig = z
  .looseObject({
    setups: z.record(z.string(), OrganizationSetup).default({}),
    kb_server: z.looseObject({ url: z.string().optional(), api_key: z.string().optional() }).optional(),
    /** A Moodle site's address and its web-service token, for the tool `moodle`. */
    moodle: z.looseObject({ url: z.string().optional(), token: z.string().optional() }).optional(),
    features: OrganizationFeatures.optional(),
    limits: z.looseObject({ requests_per_minute: RequestsPerMinute.optional() }).optional(),
    assistant_defaults: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'OrganizationConfig' });
export type OrganizationConfig = z.infer<typeof OrganizationConfig>;
