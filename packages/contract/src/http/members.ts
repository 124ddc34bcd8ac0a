import { z } from 'zod';
import { Role } from '../principal.ts';
import { pageOf, PageQuery } from './paging.ts';

/** Which members are asked for; `search` is part of a name or an e-mail address. */
export const MemberQuery = PageQuery.extend({ search: z.string().trim().min(1).max(200).optional() });

/** A member of an organisation. */
export const MemberResource = z
  .object({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    role: Role,
    enabled: z.boolean(),
    /** Whether the organisation vouches that the address is theirs; without that, no tool acts for them by it. */
    email_confirmed: z.boolean(),
    joined_at: z.number().int(),
    /** To the minute; null: never. */
    last_seen_at: z.number().int().nullable(),
  })
  .meta({ id: 'MemberResource' });
export type MemberResource = z.infer<typeof MemberResource>;

/** A page of an organisation's members. */
export const MemberPage = pageOf(MemberResource).meta({ id: 'MemberPage' });

const Belongings = z.object({
  assistants: z.number().int(),
  rubrics: z.number().int(),
  files: z.number().int(),
  collections: z.number().int(),
});

/** A member, and what they own here: what must go to somebody else before they can be removed. */
export const MemberDetails = MemberResource.extend({ owns: Belongings }).meta({ id: 'MemberDetails' });

/** What an administrator changes of a member; what is left out stays. */
export const MemberPatch = z
  .object({ role: Role.optional(), enabled: z.boolean().optional(), email_confirmed: z.boolean().optional() })
  .meta({ id: 'MemberPatch' });

/** What becomes of what a removed member owns: it goes to another creator, or the assistants are deleted. */
export const RemoveMemberQuery = z.object({
  transfer_to: z.uuid().optional(),
  discard: z.stringbool().default(false),
});

/** What was transferred. `renamed_files` are the former paths of files whose path the new owner had already: tools that name them need a look. */
export const MemberRemoval = z
  .object({ transferred: Belongings.nullable(), renamed_files: z.array(z.string()) })
  .meta({ id: 'MemberRemoval' });
