import { z } from 'zod';
import { OrganizationConfig } from '../organization-config.ts';
import { Role } from '../principal.ts';
import { pageOf, PageQuery } from './paging.ts';

/** An organisation as its members see it. */
export const OrganizationResource = z
  .object({ id: z.string(), name: z.string(), slug: z.string(), role: Role, current: z.boolean() })
  .meta({ id: 'OrganizationResource' });

/** The organisations a person belongs to. */
export const OrganizationList = z.object({ items: z.array(OrganizationResource) }).meta({ id: 'OrganizationList' });

/**
 * An organisation's configuration; secrets are listed by name and never returned. `version` counts its changes and goes
 * into `If-Match`; `default_setup` is the key under `setups` that turns work with.
 */
export const OrganizationConfigResource = z
  .object({
    config: OrganizationConfig,
    secrets: z.array(z.string()),
    version: z.number().int(),
    default_setup: z.string(),
  })
  .meta({ id: 'OrganizationConfigResource' });

/** A JSON merge patch of the configuration: what it names is changed, null removes, an empty secret is forgotten. */
export const OrganizationConfigPatch = z.looseObject({}).meta({ id: 'OrganizationConfigPatch' });

/** The stretch of time, in unix seconds, and the assistant that usage is summed up for; without them the last 30 days of all. */
export const UsageQuery = z.object({
  from: z.coerce.number().int().min(0).max(1e11).optional(),
  to: z.coerce.number().int().min(0).max(1e11).optional(),
  assistant: z.coerce.number().int().positive().optional(),
  group_by: z.enum(['day', 'assistant', 'model', 'user']).optional(),
});

const UsageSums = z.object({
  runs: z.number().int(),
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  total_tokens: z.number().int(),
  cost_micros: z.number().int(),
});

/** What an organisation used; in groups where that was asked for. A group's key is a day, an id, or connector/model. */
export const UsageTotals = UsageSums.extend({
  from: z.number().int(),
  to: z.number().int(),
  groups: z.array(UsageSums.extend({ key: z.string().nullable() })).optional(),
}).meta({ id: 'UsageTotals' });

/** Which part of the audit log is asked for: by whom, what was done (`member` stands for all of `member.…`), to what, and when. */
export const AuditQuery = PageQuery.extend({
  actor: z.uuid().optional(),
  action: z
    .string()
    .regex(/^[a-z_]+(\.[a-z_]+)?$/)
    .max(100)
    .optional(),
  subject: z.string().max(200).optional(),
  from: z.coerce.number().int().min(0).max(1e11).optional(),
  to: z.coerce.number().int().min(0).max(1e11).optional(),
});

/** A page of an organisation's audit log, newest first. */
export const AuditPage = pageOf(
  z.object({
    id: z.number().int(),
    actor_id: z.string().nullable(),
    actor_email: z.string().nullable(),
    actor_name: z.string().nullable(),
    action: z.string(),
    subject: z.string(),
    details: z.record(z.string(), z.unknown()),
    created_at: z.number().int(),
  }),
).meta({ id: 'AuditPage' });
