import { AppError, ChatMessage, ChatShare, SharedChat } from '@lamb/contract';
import {
  findSharedChat,
  getChat,
  listChatMessages,
  recordAudit,
  shareChat,
  unshareChat,
  withTenant,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { makeShareToken, readShareToken } from '../chats/share-token.ts';
import { ChatParams, withChat } from '../chats/with-chat.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';

const tags = ['Chats'];

/** Links to chats: off until somebody makes one, and taken back at any time. */
export function chatSharingRoutes({ db }: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.put(
      '/lamb/v1/chats/:id/share',
      {
        config: { access: 'chat.edit' },
        schema: {
          tags,
          summary: 'Share what was said until now with whoever has the link; again, to share what was said since',
          params: ChatParams,
          response: { 200: ChatShare },
        },
      },
      async ({ principal, params }) =>
        await withChat(db, principal, params.id, 'chat.edit', async (tx, chat) => {
          await shareChat(tx, chat.id, makeShareToken(principal.organizationId));
          const subject = `chat:${chat.id}`;
          await recordAudit(tx, { actorId: principal.userId, action: 'chat.shared', subject, details: {} });
          const shared = (await getChat(tx, chat.id))?.share;
          if (!shared) throw new AppError('not_found');
          return { token: shared.token, shared_at: toUnixSeconds(shared.sharedAt) };
        }),
    );

    app.delete(
      '/lamb/v1/chats/:id/share',
      {
        config: { access: 'chat.edit' },
        schema: { tags, summary: 'Take the link back', params: ChatParams, response: { 204: z.null() } },
      },
      async ({ principal, params }, reply) => {
        await withChat(db, principal, params.id, 'chat.edit', async (tx, chat) => {
          await unshareChat(tx, chat.id);
          const subject = `chat:${chat.id}`;
          await recordAudit(tx, { actorId: principal.userId, action: 'chat.unshared', subject, details: {} });
        });
        return await reply.code(204).send(null);
      },
    );

    app.get(
      '/lamb/v1/shared-chats/:token',
      {
        config: { access: 'public' },
        schema: {
          tags,
          summary: 'Read a chat by its link',
          params: z.object({ token: z.string().max(100) }),
          response: { 200: SharedChat },
        },
      },
      async ({ params: { token } }, reply) => {
        const organizationId = readShareToken(token);
        if (organizationId === undefined) throw new AppError('not_found');
        const shared = await withTenant(db, organizationId, async (tx) => {
          const chat = await findSharedChat(tx, token);
          if (!chat?.share) throw new AppError('not_found');
          const { sharedAt } = chat.share;
          const messages = await listChatMessages(tx, chat.id);
          return {
            title: chat.title === '' ? chat.assistantName : chat.title,
            assistant_name: chat.assistantName,
            shared_at: toUnixSeconds(sharedAt),
            messages: messages
              .filter(({ createdAt }) => createdAt <= sharedAt)
              .map(({ message }) => ChatMessage.parse(message))
              .flatMap(({ role, content }) => (role === 'user' || role === 'assistant' ? [{ role, content }] : [])),
          };
        });
        // The link is a secret: what it opens is kept by nobody on the way, and found by no search engine.
        void reply.headers({
          'cache-control': 'no-store',
          'x-robots-tag': 'noindex',
          'referrer-policy': 'no-referrer',
        });
        return shared;
      },
    );
    done();
  };
}
