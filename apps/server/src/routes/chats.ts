import {
  AppError,
  ChatBody,
  ChatMessage,
  ChatPage,
  ChatResource,
  ChatTurnBody,
  ChatWithMessages,
  PageQuery,
  RunResource,
  type Principal,
} from '@lamb/contract';
import {
  createChat,
  deleteChat,
  getAssistantAccess,
  getChat,
  listChatMessages,
  listChats,
  withTenant,
  type Chat,
  type TenantTx,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { authorize } from '../access/authorize.ts';
import { loadTurn } from '../completions/load-turn.ts';
import { toTurnRequest } from '../completions/to-turn-request.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import { startRun } from '../runs/start-run.ts';
import { toRunResource } from '../runs/to-run-resource.ts';
import type { Services } from '../services.ts';

const tags = ['Chats'];
const Params = z.object({ id: z.string().max(64) });

/** Chats: conversations that are kept, each turn a durable run. */
export function chatRoutes(services: Services): FastifyPluginCallbackZod {
  const { db } = services;

  async function withChat<Result>(
    principal: Principal,
    id: string,
    action: 'chat.read' | 'chat.edit',
    work: (tx: TenantTx, chat: Chat) => Promise<Result>,
  ): Promise<Result> {
    return await withTenant(db, principal.organizationId, async (tx) => {
      const chat = z.uuid().safeParse(id).success ? await getChat(tx, id) : undefined;
      authorize(principal, action, chat && { isOwner: chat.userId === principal.userId, isPublic: false });
      if (!chat) throw new AppError('not_found');
      return await work(tx, chat);
    });
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/chats',
      {
        config: { access: 'chat.list' },
        schema: { tags, summary: 'List your chats', querystring: PageQuery, response: { 200: ChatPage } },
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
          const access = await getAssistantAccess(tx, body.assistant_id, principal.userId);
          authorizeAssistant(principal, 'assistant.use', access);
          const title = body.title === '' ? access.assistant.name : body.title;
          return await createChat(tx, { userId: principal.userId, assistantId: body.assistant_id, title });
        });
        return await reply.code(201).send(toResource(chat));
      },
    );

    app.get(
      '/lamb/v1/chats/:id',
      {
        config: { access: 'chat.read' },
        schema: { tags, summary: 'Read a chat', params: Params, response: { 200: ChatWithMessages } },
      },
      async ({ principal, params }) =>
        await withChat(principal, params.id, 'chat.read', async (tx, chat) => {
          const messages = await listChatMessages(tx, chat.id);
          return {
            ...toResource(chat),
            messages: messages.map(({ message, runId, createdAt }) => ({
              message: ChatMessage.parse(message),
              run_id: runId,
              created_at: toUnixSeconds(createdAt),
            })),
          };
        }),
    );

    app.delete(
      '/lamb/v1/chats/:id',
      {
        config: { access: 'chat.edit' },
        schema: { tags, summary: 'Delete a chat', params: Params, response: { 204: z.null() } },
      },
      async ({ principal, params }, reply) => {
        await withChat(principal, params.id, 'chat.edit', (tx, chat) => deleteChat(tx, chat.id));
        return await reply.code(204).send(null);
      },
    );

    app.post(
      '/lamb/v1/chats/:id/turns',
      {
        config: { access: 'chat.edit', startsTurn: true },
        schema: {
          tags,
          summary: 'Say something; the answer is a durable run to follow',
          params: Params,
          body: ChatTurnBody,
          response: { 202: RunResource },
        },
      },
      async ({ principal, params, body }, reply) => {
        const { content, ...sampling } = body;
        const said: ChatMessage = { role: 'user', content };
        const { chat, history } = await withChat(principal, params.id, 'chat.edit', async (tx, found) => ({
          chat: found,
          history: await listChatMessages(tx, found.id),
        }));
        const loaded = await loadTurn(services, principal, (tx) =>
          getAssistantAccess(tx, chat.assistantId, principal.userId),
        );
        const messages = [...history.map(({ message }) => ChatMessage.parse(message)), said];
        const run = await startRun(services, principal, loaded, toTurnRequest({ ...sampling, messages }), {
          turn: { chatId: chat.id, said },
        });
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
    title: chat.title,
    created_at: toUnixSeconds(chat.createdAt),
    updated_at: toUnixSeconds(chat.updatedAt),
  };
}
