import { DraftTurnBody, RunResource } from '@lamb/contract';
import { getAssistantAccess, withTenant } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { prepareAssistant } from '../assistants/prepare-assistant.ts';
import { loadDraft } from '../completions/load-draft.ts';
import { toTurnRequest } from '../completions/to-turn-request.ts';
import { startRun } from '../runs/start-run.ts';
import { toRunResource } from '../runs/to-run-resource.ts';
import type { Services } from '../services.ts';

/** Trying an assistant as it stands in a form, before it is saved. */
export function assistantDraftRoutes(services: Services): FastifyPluginCallbackZod {
  const { db, catalogue } = services;
  return (app, _options, done) => {
    app.post(
      '/lamb/v1/assistants/drafts/turns',
      {
        config: { access: 'assistant.create', startsTurn: true },
        schema: {
          tags: ['Assistants'],
          summary: 'Talk to an assistant that is not saved; the answer is a durable run to follow',
          body: DraftTurnBody,
          response: { 202: RunResource },
        },
      },
      async ({ principal, body }, reply) => {
        const { assistant_id: draftOf, messages } = body;
        const prepared = await withTenant(db, principal.organizationId, async (tx) => {
          if (draftOf !== undefined) {
            authorizeAssistant(principal, 'assistant.edit', await getAssistantAccess(tx, draftOf, principal.userId));
          }
          return await prepareAssistant(
            tx,
            { id: draftOf, ownerId: principal.userId },
            {
              systemPrompt: body.system_prompt,
              promptTemplate: body.prompt_template,
              metadata: body.metadata,
              columns: { ragCollections: body.RAG_collections, ragTopK: body.RAG_Top_k },
            },
            catalogue,
          );
        });
        const { systemPrompt, promptTemplate, metadata } = prepared;
        const loaded = await loadDraft(services, principal, { systemPrompt, promptTemplate, metadata });
        const run = await startRun(services, principal, loaded, toTurnRequest({ ...body, messages }), {
          keepsTexts: true,
          ...(draftOf === undefined ? {} : { draftOf }),
        });
        return await reply.code(202).send(toRunResource(run));
      },
    );
    done();
  };
}
