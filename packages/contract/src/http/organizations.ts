import { z } from 'zod';
import { OrganizationConfig } from '../organization-config.ts';
import { Role } from '../principal.ts';
import { pageOf } from './paging.ts';

/** An organisation as its members see it. */
export const OrganizationResource = z
  .object({ id: z.string(), name: z.string(), slug: z.string(), role: Role, current: z.boolean() })
  .meta({ id: 'OrganizationResource' });

/** The organisations a person belongs to. */
export const OrganizationList = z.object({ items: z.array(OrganizationResource) }).meta({ id: 'OrganizationList' });

/** An organisation's configuration; secrets are listed by name and never returned. */
export const OrganizationConfigResource = z
  .object({ config: OrganizationConfig, secrets: z.array(z.string()) })
  .meta({ id: 'OrganizationConfigResource' });

/** A page of an organisation's members. */
export const MemberPage = pageOf(
  z.object({ user_id: z.string(), email: z.string(), name: z.string(), role: Role, enabled: z.boolean() }),
).meta({ id: 'MemberPage' });

/** Who the credential belongs to. */
export const Me = z
  .object({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    organization_id: z.string(),
    role: Role,
    via: z.enum(['session', 'api_key']),
  })
  .meta({ id: 'Me' });

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

/** A page of an organisation's audit log. */
export const AuditPage = pageOf(
  z.object({
    id: z.number().int(),
    actor_id: z.string().nullable(),
    action: z.string(),
    subject: z.string(),
    details: z.record(z.string(), z.unknown()),
    created_at: z.number().int(),
  }),
).meta({ id: 'AuditPage' });
