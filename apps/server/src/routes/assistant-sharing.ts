import { AppError, ShareList } from '@lamb/contract';
import {
  findMembersByEmail,
  listAssistantShares,
  publishAssistant,
  shareAssistant,
  unpublishAssistant,
  unshareAssistant,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { auditAssistant } from '../assistants/audit-assistant.ts';
import { withAssistant } from '../assistants/with-assistant.ts';
import { AssistantParams } from '../http/assistant-params.ts';
import type { Services } from '../services.ts';

const tags = ['Assistants'];

/** Who else may use an assistant: the people it is shared with, or the whole organisation. */
export function assistantSharingRoutes({ db }: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.get(
      '/lamb/v1/assistants/:id/shares',
      {
        config: { access: 'assistant.share' },
        schema: { tags, summary: 'List who it is shared with', params: AssistantParams, response: { 200: ShareList } },
      },
      async ({ principal, params }) =>
        await withAssistant(db, principal, params.id, 'assistant.share', async (tx) => {
          const shares = await listAssistantShares(tx, params.id);
          return { emails: shares.map(({ email }) => email) };
        }),
    );

    app.put(
      '/lamb/v1/assistants/:id/shares',
      {
        config: { access: 'assistant.share' },
        schema: {
          tags,
          summary: 'Share it with exactly these people',
          params: AssistantParams,
          body: ShareList,
          response: { 200: ShareList },
        },
      },
      async ({ principal, params, body }) =>
        await withAssistant(db, principal, params.id, 'assistant.share', async (tx) => {
          const members = await findMembersByEmail(tx, body.emails);
          const found = new Set(members.map(({ email }) => email.toLowerCase()));
          const unknown = body.emails.filter((email) => !found.has(email.toLowerCase()));
          if (unknown.length > 0) {
            throw new AppError('invalid_request', {
              message: `Not members of your organisation: ${unknown.join(', ')}.`,
              details: { param: 'emails', unknown },
            });
          }
          const wanted = new Set(members.map(({ id }) => id));
          const before = await listAssistantShares(tx, params.id);
          const ended = before.filter(({ userId }) => !wanted.has(userId)).map(({ userId }) => userId);
          await unshareAssistant(tx, params.id, ended);
          await shareAssistant(tx, params.id, [...wanted], principal.userId);
          await auditAssistant(tx, principal, 'assistant.shared', params.id, { with: [...wanted] });
          return { emails: members.map(({ email }) => email).sort() };
        }),
    );

    app.put(
      '/lamb/v1/assistants/:id/publication',
      {
        config: { access: 'assistant.publish' },
        schema: {
          tags,
          summary: 'Publish it to the organisation',
          params: AssistantParams,
          response: { 204: z.null() },
        },
      },
      async ({ principal, params }, reply) => {
        await withAssistant(db, principal, params.id, 'assistant.publish', async (tx, { assistant }) => {
          await publishAssistant(tx, params.id, { publishedBy: principal.userId, publishedName: assistant.name });
          await auditAssistant(tx, principal, 'assistant.published', params.id);
        });
        return await reply.code(204).send(null);
      },
    );

    app.delete(
      '/lamb/v1/assistants/:id/publication',
      {
        config: { access: 'assistant.publish' },
        schema: { tags, summary: 'Take the publication back', params: AssistantParams, response: { 204: z.null() } },
      },
      async ({ principal, params }, reply) => {
        await withAssistant(db, principal, params.id, 'assistant.publish', async (tx) => {
          if (await unpublishAssistant(tx, params.id)) {
            await auditAssistant(tx, principal, 'assistant.unpublished', params.id);
          }
        });
        return await reply.code(204).send(null);
      },
    );
    done();
  };
}
