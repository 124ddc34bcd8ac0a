import { z } from 'zod';
import { pageOf } from './paging.ts';

/** What a person sends to make an API key. */
export const KeyBody = z
  .object({
    name: z.string().trim().min(1).max(100),
    assistants: z.union([z.literal('all'), z.array(z.number().int().positive()).min(1).max(1000)]).default('all'),
    trusted_gateway: z.boolean().default(false),
    expires_in_days: z.number().int().min(1).max(3650).optional(),
  })
  .meta({ id: 'KeyBody' });

/** An API key without its secret. */
export const KeyResource = z
  .object({
    id: z.string(),
    name: z.string(),
    start: z.string(),
    assistants: z.union([z.literal('all'), z.array(z.number().int())]),
    trusted_gateway: z.boolean(),
    created_at: z.number().int(),
    last_used_at: z.number().int().nullable(),
    expires_at: z.number().int().nullable(),
  })
  .meta({ id: 'KeyResource' });
export type KeyResource = z.infer<typeof KeyResource>;

/** The reply when a key is made: the only time its secret is shown. */
export const NewKey = KeyResource.extend({ key: z.string() }).meta({ id: 'NewKey' });

/** All keys of a person. */
export const KeyList = z.object({ items: z.array(KeyResource) }).meta({ id: 'KeyList' });

/** An API key as the administrators of its organisation see it: with its holder. */
export const HeldKeyResource = KeyResource.extend({
  holder: z.object({ user_id: z.string(), name: z.string(), email: z.string() }),
}).meta({ id: 'HeldKeyResource' });

/** A page of everybody's keys. */
export const HeldKeyPage = pageOf(HeldKeyResource).meta({ id: 'HeldKeyPage' });
