import { z } from 'zod';
import { Role } from '../principal.ts';
import { pageOf } from './paging.ts';
import { PersonName } from './me.ts';

/** The ways into this installation, for a page that nobody is signed in to. */
export const SignInOptions = z
  .object({
    /** `id` goes into `POST /api/auth/sign-in/social` as `provider`. */
    identity_providers: z.array(z.object({ id: z.string(), name: z.string() })),
    /** Whether people with an organisation's key may make an account; `organization` is set where there is only one to choose. */
    sign_up: z.object({ open: z.boolean(), organization: z.string().nullable() }),
    min_password_length: z.number().int(),
  })
  .meta({ id: 'SignInOptions' });

/** A password that is new. */
export const NewPassword = z.string().min(10).max(200);
const Email = z.email().max(320);
const OrganizationSlug = z.string().trim().min(1).max(100);
const SignUpKey = z.string().min(1).max(200);
const Token = z.string().min(1).max(200);

/** What somebody sends to make an account with an organisation's key. `organization` is its short name. */
export const SignUpBody = z
  .object({ organization: OrganizationSlug, key: SignUpKey, email: Email, name: PersonName, password: NewPassword })
  .meta({ id: 'SignUpBody' });

/** What somebody who has an account sends to join an organisation with its key. */
export const JoinBody = z.object({ organization: OrganizationSlug, key: SignUpKey }).meta({ id: 'JoinBody' });

/** The reply to whoever came in: the session is in the cookie. */
export const Joined = z.object({ user_id: z.string(), organization_id: z.string() }).meta({ id: 'Joined' });

/** What an administrator sends to invite somebody. */
export const InvitationBody = z
  .object({ email: Email, role: Role.default('member'), expires_in_days: z.number().int().min(1).max(30).default(7) })
  .meta({ id: 'InvitationBody' });

/** An invitation that is still open. */
export const InvitationResource = z
  .object({
    id: z.string(),
    email: z.string(),
    role: Role,
    invited_by: z.string(),
    created_at: z.number().int(),
    expires_at: z.number().int(),
  })
  .meta({ id: 'InvitationResource' });
export type InvitationResource = z.infer<typeof InvitationResource>;

/** The reply when somebody is invited: the only time that the link is shown. */
export const NewInvitationResource = InvitationResource.extend({ token: z.string(), link: z.string() }).meta({
  id: 'NewInvitationResource',
});

/** A page of open invitations. */
export const InvitationPage = pageOf(InvitationResource).meta({ id: 'InvitationPage' });

/** The secret part of an invitation's link. */
export const InvitationToken = z.object({ token: Token }).meta({ id: 'InvitationToken' });

/** What an invitation says to whoever holds its link. */
export const InvitationOffer = z
  .object({ organization: z.string(), email: z.string(), role: Role, expires_at: z.number().int() })
  .meta({ id: 'InvitationOffer' });

/** What an invited person without an account sends; the e-mail address is the invitation's. */
export const AcceptInvitationBody = z
  .object({ token: Token, name: PersonName, password: NewPassword })
  .meta({ id: 'AcceptInvitationBody' });
