import { z } from 'zod';

/** What there is to connect to, and how far an organisation has set it up. Keys are never shown. */
export const ProviderList = z
  .object({
    items: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        description: z.string(),
        /** What must be set before it works. */
        requires: z.array(z.enum(['base_url', 'api_key'])),
        configured: z.boolean(),
        enabled: z.boolean(),
        base_url: z.string().nullable(),
        has_key: z.boolean(),
        models: z.array(z.string()),
        default_model: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'ProviderList' });

/**
 * Settings to try before they are saved; what is left out is taken from the configuration. A saved key goes only to the
 * address it was saved for: with another one, send the key again. With `model`, one short answer is asked for.
 */
export const ProviderTestBody = z
  .object({
    base_url: z.string().max(2000).optional(),
    api_key: z.string().max(2000).optional(),
    model: z.string().min(1).max(300).optional(),
  })
  .meta({ id: 'ProviderTestBody' });

/** The address of a service and its key, to try before they are saved; what is left out is taken from the configuration. */
export const ServiceTestBody = z
  .object({ url: z.string().max(2000).optional(), secret: z.string().max(2000).optional() })
  .meta({ id: 'ServiceTestBody' });

/** How a try ended. */
export const TestOutcome = z.enum([
  'ok',
  'not_configured',
  'address_refused',
  'unreachable',
  'timed_out',
  'credentials_rejected',
  'not_found',
  'rate_limited',
  'unexpected_answer',
]);
export type TestOutcome = z.infer<typeof TestOutcome>;

/** How a try ended, and what to do about it. `models` are those that a provider said it offers, `missing` the functions that Moodle does not allow. */
export const ConnectionTest = z
  .object({
    ok: z.boolean(),
    outcome: TestOutcome,
    message: z.string(),
    next: z.string().nullable(),
    milliseconds: z.number().int(),
    models: z.array(z.string()).optional(),
    missing: z.array(z.string()).optional(),
  })
  .meta({ id: 'ConnectionTest' });
export type ConnectionTest = z.infer<typeof ConnectionTest>;

/** The models that a provider says it offers. */
export const OfferedModels = z.object({ models: z.array(z.string()) }).meta({ id: 'OfferedModels' });
