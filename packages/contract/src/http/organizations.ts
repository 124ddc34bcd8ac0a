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
