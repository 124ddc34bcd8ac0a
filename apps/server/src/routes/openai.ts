import { AppError, ChatCompletion, ChatCompletionBody, ModelList, RunResource, readMetadata } from '@lamb/contract';
import { listAssistants, withTenant, type AssistantSummary } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerCompletion } from '../completions/answer-completion.ts';
import { findModel, toModelName } from '../completions/find-model.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';

const MAX_MODELS = 1000;

/** The OpenAI-compatible API: assistants are models. */
export function openAiRoutes(services: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.get(
      '/v1/models',
      {
        config: { access: 'model.list' },
        schema: { tags: ['OpenAI'], summary: 'List the assistants this key can talk to', response: { 200: ModelList } },
      },
      async ({ principal }) => {
        const models: AssistantSummary[] = [];
        await withTenant(services.db, principal.organizationId, async (tx) => {
          let cursor: string | undefined;
          do {
            const page = await listAssistants(tx, {
              viewerId: principal.userId,
              scope: 'visible',
              sort: 'name',
              limit: 100,
              ...(cursor === undefined ? {} : { cursor }),
            });
            models.push(...page.items);
            cursor = page.nextCursor ?? undefined;
          } while (cursor !== undefined && models.length < MAX_MODELS);
        });
        const { assistants } = principal;
        const reachable = models.filter(({ id }) => assistants === 'all' || assistants.includes(id));
        return { object: 'list' as const, data: reachable.map(toModelEntry) };
      },
    );

    app.post(
      '/v1/chat/completions',
      {
        config: { access: 'assistant.use', startsTurn: true },
        schema: {
          tags: ['OpenAI'],
          summary: 'Talk to an assistant',
          body: ChatCompletionBody,
          response: { 200: { content: completionContent }, 202: RunResource },
        },
      },
      async (request, reply) => {
        const { body, principal } = request;
        try {
          return await answerCompletion(services, request, reply, body, findModel(body.model, principal));
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
          throw new AppError('model_not_found', {
            message: `There is no model “${body.model}” for this credential.`,
            details: { param: 'model' },
          });
        }
      },
    );
    done();
  };
}

/** A completion is one reply or, with `stream`, a stream of chunks. */
export const completionContent = {
  'application/json': { schema: ChatCompletion },
  'text/event-stream': { schema: z.string().describe('Chunks, each as `data: {…}`, closed by `data: [DONE]`.') },
};

function toModelEntry({ id, name, createdAt, metadata }: AssistantSummary) {
  const { capabilities } = readMetadata(metadata).metadata;
  return {
    id: toModelName(id),
    object: 'model' as const,
    created: toUnixSeconds(createdAt),
    owned_by: 'lamb_v4' as const,
    parent: null,
    name,
    capabilities: { vision: capabilities.vision, image_generation: capabilities.image_generation },
  };
}
