import {
  ChatBody,
  ChatListQuery,
  ChatMessage,
  ChatPage,
  ChatPatch,
  ChatQuery,
  ChatResource,
  ChatTurnBody,
  ChatWithMessages,
  RegenerateBody,
  RunResource,
} from '@lamb/contract';
import {
  createChat,
  deleteChat,
  findActiveRun,
  getAssistantAccess,
  listChatMessages,
  listChats,
  renameChat,
  withTenant,
  type Chat,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { readQuietChat } from '../chats/read-quiet-chat.ts';
import { findQuestion, takeChatTurn } from '../chats/take-chat-turn.ts';
import { toChatTitle } from '../chats/to-chat-title.ts';
import { ChatParams, withChat } from '../chats/with-chat.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import { toRunResource } from '../runs/to-run-resource.ts';
import type { Services } from '../services.ts';

const tags = ['Chats'];

/** Chats: conversations that are kept, each turn a durable run. */
export function chatRoutes(services: Services): FastifyPluginCallbackZod {
  const { db } = services;
  return (app, _options, done) => {
    app.get(
      '/lamb/v1/chats',
      {
        config: { access: 'chat.list' },
        schema: {
          tags,
          summary: 'List your chats, or those in which something was said',
          querystring: ChatListQuery,
          response: { 200: ChatPage },
        },
      },
      async ({ principal, query }) => {
        const page = await withTenant(db, principal.organizationId, (tx) =>
          listChats(tx, { ...query, userId: principal.userId }),
        );
        return { items: page.items.map(toResource), next_cursor: page.nextCursor };
      },
    );

    app.post(
      '/lamb/v1/chats',
      {
        config: { access: 'chat.create' },
        schema: { tags, summary: 'Begin a chat with an assistant', body: ChatBody, response: { 201: ChatResource } },
      },
      async ({ principal, body }, reply) => {
        const chat = await withTenant(db, principal.organizationId, async (tx) => {
          authorizeAssistant(
            principal,
            'assistant.use',
            await getAssistantAccess(tx, body.assistant_id, principal.userId),
          );
          const { title, assistant_id: assistantId } = body;
          return await createChat(tx, { userId: principal.userId, assistantId, title });
        });
        return await reply.code(201).send(toResource(chat));
      },
    );

    app.get(
      '/lamb/v1/chats/:id',
      {
        config: { access: 'chat.read' },
        schema: {
          tags,
          summary: 'Read a chat, with the answer that is under way',
          params: ChatParams,
          querystring: ChatQuery,
          response: { 200: ChatWithMessages },
        },
      },
      async ({ principal, params, query }) =>
        await withChat(db, principal, params.id, 'chat.read', async (tx, chat) => {
          const active = await findActiveRun(tx, chat.id);
          const messages = await listChatMessages(tx, chat.id, { superseded: query.replaced });
          return {
            ...toResource(chat),
            messages: messages.map(({ id, message, runId, runStatus, supersededBy, createdAt }) => ({
              id,
              message: ChatMessage.parse(message),
              run_id: runId,
              run_status: runStatus,
              replaced_by: supersededBy,
              created_at: toUnixSeconds(createdAt),
            })),
            active_run: active ? toRunResource({ ...active, organizationId: principal.organizationId }) : null,
            share: chat.share ? { token: chat.share.token, shared_at: toUnixSeconds(chat.share.sharedAt) } : null,
          };
        }),
    );

    app.patch(
      '/lamb/v1/chats/:id',
      {
        config: { access: 'chat.edit' },
        schema: {
          tags,
          summary: 'Rename a chat',
          params: ChatParams,
          body: ChatPatch,
          response: { 200: ChatResource },
        },
      },
      async ({ principal, params, body: { title } }) =>
        await withChat(db, principal, params.id, 'chat.edit', async (tx, chat) => {
          await renameChat(tx, chat.id, title);
          return toResource({ ...chat, title });
        }),
    );

    app.delete(
      '/lamb/v1/chats/:id',
      {
        config: { access: 'chat.edit' },
        schema: { tags, summary: 'Delete a chat', params: ChatParams, response: { 204: z.null() } },
      },
      async ({ principal, params }, reply) => {
        await withChat(db, principal, params.id, 'chat.edit', (tx, chat) => deleteChat(tx, chat.id));
        return await reply.code(204).send(null);
      },
    );

    app.post(
      '/lamb/v1/chats/:id/turns',
      {
        config: { access: 'chat.edit', startsTurn: true },
        schema: {
          tags,
          summary: 'Say something, or ask an earlier question differently; the answer is a durable run to follow',
          params: ChatParams,
          body: ChatTurnBody,
          response: { 202: RunResource },
        },
      },
      async ({ principal, params, body }, reply) => {
        const { content, replaces, ...sampling } = body;
        const said: ChatMessage = { role: 'user', content };
        const { chat, history } = await readQuietChat(db, principal, params.id);
        if (replaces !== undefined) findQuestion(history, replaces);
        const run = await takeChatTurn(services, principal, { chat, history, said, replaces, sampling });
        // Not before: of a question that was refused, nothing stays.
        if (history.length === 0) {
          await withTenant(db, principal.organizationId, (tx) =>
            renameChat(tx, chat.id, toChatTitle(said), { ifUntitled: true }),
          );
        }
        return await reply.code(202).send(toRunResource(run));
      },
    );

    app.post(
      '/lamb/v1/chats/:id/regenerate',
      {
        config: { access: 'chat.edit', startsTurn: true },
        schema: {
          tags,
          summary: 'Have the last question answered anew; the first answer is kept, but no longer part of the chat',
          params: ChatParams,
          body: RegenerateBody,
          response: { 202: RunResource },
        },
      },
      async ({ principal, params, body }, reply) => {
        const { chat, history } = await readQuietChat(db, principal, params.id);
        const { id: replaces, said } = findQuestion(history);
        const run = await takeChatTurn(services, principal, { chat, history, said, replaces, sampling: body });
        return await reply.code(202).send(toRunResource(run));
      },
    );
    done();
  };
}

function toResource(chat: Chat): ChatResource {
  return {
    id: chat.id,
    assistant_id: chat.assistantId,
    assistant_name: chat.assistantName,
    title: chat.title === '' ? chat.assistantName : chat.title,
    shared: chat.share !== null,
    created_at: toUnixSeconds(chat.createdAt),
    updated_at: toUnixSeconds(chat.updatedAt),
  };
}
