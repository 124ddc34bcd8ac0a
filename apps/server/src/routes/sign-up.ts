import {
  AcceptInvitationBody,
  AppError,
  InvitationOffer,
  InvitationToken,
  Joined,
  SignInOptions,
  SignUpBody,
} from '@lamb/contract';
import {
  acceptInvitation,
  findInvitation,
  listOpenSlugs,
  noteAcceptance,
  recordAudit,
  reopenInvitation,
  withTenant,
} from '@lamb/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { checkSignUpKey } from '../accounts/check-sign-up-key.ts';
import { createAccount } from '../accounts/create-account.ts';
import { openInvitation } from '../accounts/open-invitation.ts';
import { MIN_PASSWORD_LENGTH } from '../auth/create-auth.ts';
import { createSignInLimiter } from '../auth/create-sign-in-limiter.ts';
import { refuseForeignOrigin } from '../auth/refuse-foreign-origin.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';

const tags = ['Sign-up'];

/** How people come in who have no account yet. */
export function signUpRoutes(services: Services): FastifyPluginCallbackZod {
  const { db, auth, config } = services;
  const limitAttempts = createSignInLimiter();
  const ownOrigins = new Set([new URL(config.publicUrl).origin, ...config.trustedOrigins]);

  /** A page of another site could otherwise sign a person in to an account that it knows the password of. */
  function refuseStrangers({ headers, method, ip }: FastifyRequest, account: string): void {
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
      refuseForeignOrigin(headers, method, ownOrigins);
    }
    limitAttempts({ account, address: ip });
  }

  /** The session begins with the account: nobody types the password a second time. */
  async function openSession(request: FastifyRequest, reply: FastifyReply, body: { email: string; password: string }) {
    const headers = new Headers({ 'x-forwarded-for': request.ip });
    const agent = request.headers['user-agent'];
    if (agent !== undefined) headers.set('user-agent', agent);
    const response = await auth.api.signInEmail({ body, headers, asResponse: true });
    void reply.header('set-cookie', response.headers.getSetCookie());
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/sign-in-options',
      {
        config: { access: 'public' },
        schema: { tags, summary: 'The ways to sign in and to sign up', response: { 200: SignInOptions } },
      },
      async () => {
        const [first, ...others] = await listOpenSlugs(db);
        return {
          identity_providers: config.oidcProviders.map(({ id, name }) => ({ id, name })),
          sign_up: { open: first !== undefined, organization: others.length === 0 ? (first ?? null) : null },
          min_password_length: MIN_PASSWORD_LENGTH,
        };
      },
    );

    app.post(
      '/lamb/v1/sign-up',
      {
        config: { access: 'public' },
        schema: {
          tags,
          summary: 'Make an account with an organisation’s key',
          body: SignUpBody,
          response: { 201: Joined },
        },
      },
      async (request, reply) => {
        const { body } = request;
        refuseStrangers(request, `sign-up ${body.organization}`);
        const { organizationId, role } = await checkSignUpKey(body, services);
        const { email, name, password } = body;
        const account = { email, name, password, organizationId, role, vouchedBy: 'nobody' as const };
        const userId = await createAccount(services, account);
        await withTenant(db, organizationId, (tx) =>
          recordAudit(tx, {
            actorId: userId,
            action: 'member.joined',
            subject: `user:${userId}`,
            details: { by: 'key', role },
          }),
        );
        await openSession(request, reply, { email, password });
        return await reply.code(201).send({ user_id: userId, organization_id: organizationId });
      },
    );

    app.post(
      '/lamb/v1/invitations/look-up',
      {
        config: { access: 'public' },
        schema: {
          tags,
          summary: 'Read what an invitation offers',
          body: InvitationToken,
          response: { 200: InvitationOffer },
        },
      },
      async (request) => {
        refuseStrangers(request, 'invitation');
        return await openInvitation(db, request.body.token, async (tx, { name }) => {
          const found = await findInvitation(tx, request.body.token);
          if (!found) return undefined;
          const { email, role, expiresAt } = found;
          return { organization: name, email, role, expires_at: toUnixSeconds(expiresAt) };
        });
      },
    );

    app.post(
      '/lamb/v1/invitations/accept',
      {
        config: { access: 'public' },
        schema: {
          tags,
          summary: 'Accept an invitation with a new account',
          body: AcceptInvitationBody,
          response: { 201: Joined },
        },
      },
      async (request, reply) => {
        const { token, name, password } = request.body;
        refuseStrangers(request, 'invitation');
        // Used up before there is an account: of two who have the link, only one gets to make it.
        const { organizationId, invitation } = await openInvitation(db, token, async (tx, { id }) => {
          const accepted = await acceptInvitation(tx, token);
          return accepted && { organizationId: id, invitation: accepted };
        });
        const { email, role } = invitation;
        let userId: string;
        try {
          const account = { email, name, password, organizationId, role, vouchedBy: 'administrator' as const };
          userId = await createAccount(services, account);
        } catch (error) {
          await withTenant(db, organizationId, (tx) => reopenInvitation(tx, invitation));
          if (!(error instanceof AppError) || error.code !== 'name_taken') throw error;
          const message = `There is an account for ${email} already. Sign in to it and open the invitation again.`;
          throw new AppError('name_taken', { message, cause: error });
        }
        await withTenant(db, organizationId, async (tx) => {
          await noteAcceptance(tx, invitation.id, userId);
          const details = { by: 'invitation', invitation: invitation.id, role };
          await recordAudit(tx, { actorId: userId, action: 'member.joined', subject: `user:${userId}`, details });
        });
        await openSession(request, reply, { email, password });
        return await reply.code(201).send({ user_id: userId, organization_id: organizationId });
      },
    );
    done();
  };
}
