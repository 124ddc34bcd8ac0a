import {
  AppError,
  InvitationBody,
  InvitationPage,
  MemberDetails,
  MemberPage,
  MemberPatch,
  MemberQuery,
  MemberRemoval,
  NewInvitationResource,
  PageQuery,
  RemoveMemberQuery,
  type InvitationResource,
  type MemberResource,
  type Principal,
  type Role,
} from '@lamb/contract';
import {
  countBelongings,
  createInvitation,
  discardAssistants,
  findMembersByEmail,
  getMember,
  listInvitations,
  listMembers,
  recordAudit,
  removeMember,
  revokeInvitation,
  transferBelongings,
  updateMember,
  withTenant,
  type Invitation,
  type Member,
  type TenantTx,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { createInvitationToken } from '../accounts/open-invitation.ts';
import { toRole } from '../auth/to-role.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';

const tags = ['Members'];
const DAY_MS = 86_400_000;
const Params = z.object({ id: z.string().max(64) });
const uuid = z.uuid();

/** The people of an organisation, and those who are invited to it. */
export function memberRoutes({ db, config, keyCache }: Services): FastifyPluginCallbackZod {
  const inOrganization = <Result>({ organizationId }: Principal, work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(db, organizationId, work);

  async function requireMember(tx: TenantTx, id: string): Promise<Member> {
    const member = uuid.safeParse(id).success ? await getMember(tx, id.toLowerCase()) : undefined;
    if (!member) throw new AppError('not_found');
    return member;
  }

  async function describe(tx: TenantTx, id: string) {
    const member = await requireMember(tx, id);
    return { ...toMemberResource(member), owns: await countBelongings(tx, member.id) };
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/organizations/current/members',
      {
        config: { access: 'member.list' },
        schema: { tags, summary: 'List the members', querystring: MemberQuery, response: { 200: MemberPage } },
      },
      async ({ principal, query }) => {
        const page = await inOrganization(principal, (tx) => listMembers(tx, query));
        return { items: page.items.map(toMemberResource), next_cursor: page.nextCursor };
      },
    );

    app.get(
      '/lamb/v1/organizations/current/members/:id',
      {
        config: { access: 'member.list' },
        schema: { tags, summary: 'A member and what they own', params: Params, response: { 200: MemberDetails } },
      },
      async ({ principal, params }) => await inOrganization(principal, (tx) => describe(tx, params.id)),
    );

    app.patch(
      '/lamb/v1/organizations/current/members/:id',
      {
        config: { access: 'member.edit' },
        schema: {
          tags,
          summary: 'Change what a member is, whether they may come in, or whether their address is confirmed',
          params: Params,
          body: MemberPatch,
          response: { 200: MemberDetails },
        },
      },
      async ({ principal, params, body }) => {
        const changed = await inOrganization(principal, async (tx) => {
          const member = await requireMember(tx, params.id);
          const role = toRole(member);
          requireRank(principal, role, body.role);
          if (body.enabled === false && member.id === principal.userId) {
            throw new AppError('invalid_request', {
              message: 'You cannot disable yourself. Ask another administrator.',
            });
          }
          const { email_confirmed: emailConfirmed } = body;
          await updateMember(tx, member.id, { role: body.role, enabled: body.enabled, emailConfirmed });
          const subject = `user:${member.id}`;
          if (body.role !== undefined && body.role !== role) {
            const details = { from: role, to: body.role };
            await recordAudit(tx, { actorId: principal.userId, action: 'member.role_changed', subject, details });
          }
          if (body.enabled !== undefined && body.enabled !== member.enabled) {
            const action = body.enabled ? 'member.enabled' : 'member.disabled';
            await recordAudit(tx, { actorId: principal.userId, action, subject });
          }
          if (emailConfirmed !== undefined && emailConfirmed !== member.emailConfirmed) {
            const action = emailConfirmed ? 'member.email_confirmed' : 'member.email_doubted';
            await recordAudit(tx, { actorId: principal.userId, action, subject, details: { email: member.email } });
          }
          return await describe(tx, member.id);
        });
        keyCache.forgetHolder(changed.user_id);
        return changed;
      },
    );

    app.delete(
      '/lamb/v1/organizations/current/members/:id',
      {
        config: { access: 'member.edit' },
        schema: {
          tags,
          summary: 'Remove a member; what they own goes to whom `transfer_to` names',
          params: Params,
          querystring: RemoveMemberQuery,
          response: { 200: MemberRemoval },
        },
      },
      async ({ principal, params, query }) => {
        const { userId, reply } = await inOrganization(principal, async (tx) => {
          const member = await requireMember(tx, params.id);
          requireRank(principal, toRole(member), undefined);
          const owns = await countBelongings(tx, member.id);
          const ownsAnything = Object.values(owns).some((count) => count > 0);
          let transfer: Awaited<ReturnType<typeof transferBelongings>> | undefined;
          if (query.transfer_to !== undefined) {
            const heir = await requireHeir(tx, query.transfer_to, member);
            transfer = await transferBelongings(tx, member.id, heir.id);
          } else if (query.discard) await discardAssistants(tx, member.id);
          else if (ownsAnything) throw new AppError('owns_resources', { details: { ...owns } });
          await removeMember(tx, member.id);
          const subject = `user:${member.id}`;
          const details = {
            ...(transfer && { transferred_to: query.transfer_to, ...transfer.moved }),
            ...(!transfer && query.discard && { discarded_assistants: owns.assistants }),
          };
          await recordAudit(tx, { actorId: principal.userId, action: 'member.removed', subject, details });
          return {
            userId: member.id,
            reply: { transferred: transfer?.moved ?? null, renamed_files: transfer?.renamedFiles ?? [] },
          };
        });
        keyCache.forgetHolder(userId);
        return reply;
      },
    );

    app.get(
      '/lamb/v1/organizations/current/invitations',
      {
        config: { access: 'member.invite' },
        schema: {
          tags,
          summary: 'List the open invitations',
          querystring: PageQuery,
          response: { 200: InvitationPage },
        },
      },
      async ({ principal, query }) => {
        const page = await inOrganization(principal, (tx) => listInvitations(tx, query));
        return { items: page.items.map(toInvitationResource), next_cursor: page.nextCursor };
      },
    );

    app.post(
      '/lamb/v1/organizations/current/invitations',
      {
        config: { access: 'member.invite' },
        schema: {
          tags,
          summary: 'Invite somebody; the link is shown only once',
          body: InvitationBody,
          response: { 201: NewInvitationResource },
        },
      },
      async ({ principal, body: { email, role, expires_in_days: days } }, reply) => {
        requireRank(principal, undefined, role);
        const token = createInvitationToken(principal.organizationId);
        const made = await inOrganization(principal, async (tx) => {
          if ((await findMembersByEmail(tx, [email])).length > 0) {
            throw new AppError('name_taken', { message: `${email} is a member already.` });
          }
          const expiresAt = new Date(Date.now() + days * DAY_MS);
          const invitation = await createInvitation(tx, { email, role, token, invitedBy: principal.userId, expiresAt });
          await recordAudit(tx, {
            actorId: principal.userId,
            action: 'invitation.created',
            subject: `invitation:${invitation.id}`,
            details: { email, role },
          });
          return invitation;
        });
        // After the #, so that it is in no log of any server on the way.
        const link = new URL(`/invitation#${token}`, config.publicUrl).href;
        return await reply.code(201).send({ ...toInvitationResource(made), token, link });
      },
    );

    app.delete(
      '/lamb/v1/organizations/current/invitations/:id',
      {
        config: { access: 'member.invite' },
        schema: { tags, summary: 'Revoke an invitation', params: Params, response: { 204: z.null() } },
      },
      async ({ principal, params: { id } }, reply) => {
        await inOrganization(principal, async (tx) => {
          const revoked = uuid.safeParse(id).success ? await revokeInvitation(tx, id) : undefined;
          if (!revoked) throw new AppError('not_found');
          const { email } = revoked;
          const subject = `invitation:${id}`;
          await recordAudit(tx, {
            actorId: principal.userId,
            action: 'invitation.revoked',
            subject,
            details: { email },
          });
        });
        return await reply.code(204).send(null);
      },
    );
    done();
  };
}

/** An administrator is not above the owners: only one of them makes, changes or removes one. */
function requireRank({ role }: Principal, from: Role | undefined, to: Role | undefined): void {
  if (role === 'owner' || (from !== 'owner' && to !== 'owner')) return;
  throw new AppError('forbidden', { message: 'Only an owner of the organisation makes, changes or removes owners.' });
}

/** Who gets what somebody leaves must be able to do something with it. */
async function requireHeir(tx: TenantTx, id: string, member: Member): Promise<Member> {
  const heir = await getMember(tx, id.toLowerCase());
  if (heir && heir.id !== member.id && heir.enabled && toRole(heir) !== 'end_user') return heir;
  throw new AppError('invalid_request', {
    message: '`transfer_to` must be another member who may create assistants.',
    details: { param: 'transfer_to' },
  });
}

function toMemberResource(member: Member): MemberResource {
  return {
    user_id: member.id,
    email: member.email,
    name: member.name,
    role: toRole(member),
    enabled: member.enabled && !member.banned,
    email_confirmed: member.emailConfirmed,
    joined_at: toUnixSeconds(member.joinedAt),
    last_seen_at: member.lastSeenAt ? toUnixSeconds(member.lastSeenAt) : null,
  };
}

function toInvitationResource(invitation: Invitation): InvitationResource {
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    invited_by: invitation.invitedBy,
    created_at: toUnixSeconds(invitation.createdAt),
    expires_at: toUnixSeconds(invitation.expiresAt),
  };
}
