import { z } from 'zod';
import { Role } from '../principal.ts';
import { OrganizationResource } from './organizations.ts';

/** Who the credential belongs to, and what a page needs to know about them. A key knows of its own organisation only. */
export const Me = z
  .object({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    /** Null: whatever the browser prefers. */
    language: z.string().nullable(),
    /** False for somebody who signs in with an identity provider only. */
    has_password: z.boolean(),
    system_admin: z.boolean(),
    organization_id: z.string(),
    role: Role,
    via: z.enum(['session', 'api_key']),
    organizations: z.array(OrganizationResource),
    /** What the current organisation has switched on. */
    features: z.record(z.string(), z.boolean()),
  })
  .meta({ id: 'Me' });

const hasText = /[^\p{C}\p{Z}]/u;

/** What a person is called. */
export const PersonName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => hasText.test(name) && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name), 'must be a name on one line');

/** What a person changes of their own account; what is left out stays. */
export const MePatch = z
  .object({
    name: PersonName.optional(),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$/, 'must be a language, as `ca` or `en-GB`')
      .nullable()
      .optional(),
  })
  .meta({ id: 'MePatch' });

/** The organisation that a session shall work in from now on. */
export const CurrentOrganizationBody = z.object({ organization_id: z.uuid() }).meta({ id: 'CurrentOrganizationBody' });
