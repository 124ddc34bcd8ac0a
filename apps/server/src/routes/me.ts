import {
  AppError,
  CurrentOrganizationBody,
  InvitationToken,
  JoinBody,
  Joined,
  Me,
  MePatch,
  OrganizationConfig,
  OrganizationList,
  type Principal,
} from '@lamb/contract';
import {
  acceptInvitation,
  addMember,
  findInvitation,
  findMembership,
  getOrganizationConfig,
  getProfile,
  listMembershipsOfUser,
  noteAcceptance,
  recordAudit,
  setActiveOrganization,
  updateProfile,
  withTenant,
  type Membership,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { checkSignUpKey } from '../accounts/check-sign-up-key.ts';
import { openInvitation } from '../accounts/open-invitation.ts';
import { createSignInLimiter } from '../auth/create-sign-in-limiter.ts';
import { toRole } from '../auth/to-role.ts';
import type { Services } from '../services.ts';

const tags = ['Me'];

/** The person who is asking: who they are, where they belong, and where they are at the moment. */
export function meRoutes(services: Services): FastifyPluginCallbackZod {
  const { db } = services;
  const limitAttempts = createSignInLimiter();

  async function readMe(principal: Principal) {
    const { userId, email, organizationId, role, systemAdmin, via } = principal;
    const memberships = await listMembershipsOfUser(db, userId);
    const profile = await getProfile(db, userId);
    const config = await withTenant(db, organizationId, getOrganizationConfig);
    const features = Object.entries(OrganizationConfig.parse(config).features ?? {});
    return {
      user_id: userId,
      email,
      name: profile.name,
      language: profile.language,
      has_password: profile.hasPassword,
      system_admin: systemAdmin,
      organization_id: organizationId,
      role,
      via,
      organizations: memberships
        .filter(({ organization }) => via === 'session' || organization.id === organizationId)
        .map(toOrganization(organizationId)),
      features: Object.fromEntries(
        features.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
      ),
    };
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/me',
      { config: { access: 'me.read' }, schema: { tags, summary: 'Who am I', response: { 200: Me } } },
      async ({ principal }) => await readMe(principal),
    );

    app.patch(
      '/lamb/v1/me',
      {
        config: { access: 'me.edit' },
        schema: { tags, summary: 'Change your name or language', body: MePatch, response: { 200: Me } },
      },
      async ({ principal, body: { name, language } }) => {
        if (principal.via === 'api_key') {
          throw new AppError('forbidden', { message: 'A key changes no account. Sign in to do that.' });
        }
        await updateProfile(db, principal.userId, {
          ...(name !== undefined && { name }),
          ...(language !== undefined && { language }),
        });
        return await readMe(principal);
      },
    );

    app.get(
      '/lamb/v1/me/organizations',
      {
        config: { access: 'signed_in' },
        schema: {
          tags,
          summary: 'Where you belong, also when you are nowhere now',
          response: { 200: OrganizationList },
        },
      },
      async ({ account }) => {
        const memberships = await listMembershipsOfUser(db, account.userId);
        return { items: memberships.filter(isOpen).map(toOrganization(undefined)) };
      },
    );

    app.put(
      '/lamb/v1/me/organization',
      {
        config: { access: 'signed_in' },
        schema: {
          tags,
          summary: 'Make another of your organisations the current one of this session',
          body: CurrentOrganizationBody,
          response: { 200: Joined },
        },
      },
      async ({ account: { userId, sessionId }, body: { organization_id: id } }) => {
        const membership = await findMembership(db, userId, id);
        if (!membership) throw new AppError('not_found');
        if (!membership.enabled) throw new AppError('account_disabled');
        if (membership.organization.status === 'suspended') throw new AppError('organization_suspended');
        await setActiveOrganization(db, sessionId, membership.organization.id);
        return { user_id: userId, organization_id: membership.organization.id };
      },
    );

    app.post(
      '/lamb/v1/me/organizations',
      {
        config: { access: 'signed_in' },
        schema: { tags, summary: 'Join an organisation with its key', body: JoinBody, response: { 200: Joined } },
      },
      async ({ account: { userId, sessionId }, body, ip }) => {
        limitAttempts({ account: `join ${body.organization}`, address: ip });
        const { organizationId, role } = await checkSignUpKey(body, services);
        await withTenant(db, organizationId, async (tx) => {
          if (!(await addMember(tx, { userId, role }))) return;
          const details = { by: 'key', role };
          await recordAudit(tx, { actorId: userId, action: 'member.joined', subject: `user:${userId}`, details });
        });
        await setActiveOrganization(db, sessionId, organizationId);
        return { user_id: userId, organization_id: organizationId };
      },
    );

    app.post(
      '/lamb/v1/me/invitations',
      {
        config: { access: 'signed_in' },
        schema: {
          tags,
          summary: 'Accept an invitation with your account',
          body: InvitationToken,
          response: { 200: Joined },
        },
      },
      async ({ account: { userId, email, sessionId }, body: { token }, ip }) => {
        limitAttempts({ account: 'invitation', address: ip });
        const organizationId = await openInvitation(db, token, async (tx, { id }) => {
          const found = await findInvitation(tx, token);
          if (!found) return undefined;
          if (found.email.toLowerCase() !== email.toLowerCase()) {
            throw new AppError('forbidden', {
              message:
                'This invitation is for another e-mail address. Sign in with that one, or ask for a new invitation.',
            });
          }
          const accepted = await acceptInvitation(tx, token);
          if (!accepted) return undefined;
          await noteAcceptance(tx, accepted.id, userId);
          if (await addMember(tx, { userId, role: accepted.role, emailConfirmed: true })) {
            const details = { by: 'invitation', invitation: accepted.id, role: accepted.role };
            await recordAudit(tx, { actorId: userId, action: 'member.joined', subject: `user:${userId}`, details });
          }
          return id;
        });
        await setActiveOrganization(db, sessionId, organizationId);
        return { user_id: userId, organization_id: organizationId };
      },
    );
    done();
  };
}

function isOpen({ enabled, organization }: Membership): boolean {
  return enabled && organization.status !== 'suspended';
}

function toOrganization(currentId: string | undefined) {
  return (membership: Membership) => ({
    id: membership.organization.id,
    name: membership.organization.name,
    slug: membership.organization.slug,
    role: toRole(membership),
    current: membership.organization.id === currentId,
  });
}
