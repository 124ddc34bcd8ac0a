import {
  AppError,
  Assistant,
  AssistantBody,
  AssistantCard,
  AssistantExport,
  AssistantImportReport,
  AssistantListQuery,
  AssistantPage,
  AssistantPatch,
  AssistantValidation,
} from '@lamb/contract';
import {
  createAssistant,
  deleteAssistant,
  getDeletedAssistantAccess,
  getOrganizationConfig,
  listAssistants,
  restoreAssistant,
  updateAssistant,
  withTenant,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { decide } from '../access/decide.ts';
import { applyColumns } from '../assistants/apply-columns.ts';
import { auditAssistant } from '../assistants/audit-assistant.ts';
import { createWithFreeName } from '../assistants/create-with-free-name.ts';
import { importAssistant } from '../assistants/import-assistant.ts';
import { migrateOnAccess } from '../assistants/migrate-on-access.ts';
import { checkAssistant, prepareAssistant } from '../assistants/prepare-assistant.ts';
import {
  toAssistantCard,
  toAssistantExport,
  toAssistantResource,
  toAssistantSummary,
} from '../assistants/to-assistant-resource.ts';
import { withAssistant } from '../assistants/with-assistant.ts';
import { AssistantParams } from '../http/assistant-params.ts';
import type { Services } from '../services.ts';

const tags = ['Assistants'];

/** How long a deleted assistant can be brought back. */
const RESTORABLE_MS = 30 * 86_400_000;

/** Assistants: what teachers build. */
export function assistantRoutes({ db, catalogue }: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.get(
      '/lamb/v1/assistants',
      {
        config: { access: 'assistant.list' },
        schema: {
          tags,
          summary: 'List assistants',
          querystring: AssistantListQuery,
          response: { 200: AssistantPage },
        },
      },
      async ({ principal, query }) => {
        if (query.scope === 'organization' && !decide(principal, 'organization.configure', undefined)) {
          throw new AppError('forbidden', { message: 'Only administrators list all assistants of the organisation.' });
        }
        const page = await withTenant(db, principal.organizationId, (tx) =>
          listAssistants(tx, { ...query, viewerId: principal.userId }),
        );
        const { assistants } = principal;
        const reachable = page.items.filter(({ id }) => assistants === 'all' || assistants.includes(id));
        return {
          items: reachable.map((assistant) => toAssistantSummary(assistant, principal, catalogue)),
          next_cursor: page.nextCursor,
        };
      },
    );

    app.post(
      '/lamb/v1/assistants',
      {
        config: { access: 'assistant.create' },
        schema: { tags, summary: 'Create an assistant', body: AssistantBody, response: { 201: Assistant } },
      },
      async ({ principal, body }, reply) => {
        const created = await withTenant(db, principal.organizationId, async (tx) => {
          const { name, description } = body;
          const caller = { id: undefined, ownerId: principal.userId };
          const prepared = await prepareAssistant(tx, caller, toDraft(body), catalogue);
          const assistant = await createAssistant(tx, { ownerId: principal.userId, name, description, ...prepared });
          await auditAssistant(tx, principal, 'assistant.created', assistant.id);
          return await toAssistantResource(tx, assistant, principal, catalogue);
        });
        return await reply.code(201).send(created);
      },
    );

    app.post(
      '/lamb/v1/assistants/validate',
      {
        config: { access: 'assistant.create' },
        schema: {
          tags,
          summary: 'Check an assistant without saving it',
          body: AssistantBody,
          response: { 200: AssistantValidation },
        },
      },
      async ({ principal, body }) => {
        const caller = { id: undefined, ownerId: principal.userId };
        const { metadata, problems } = await withTenant(db, principal.organizationId, (tx) =>
          checkAssistant(tx, caller, toDraft(body), catalogue),
        );
        return { valid: problems.every(({ severity }) => severity !== 'error'), problems, metadata };
      },
    );

    app.post(
      '/lamb/v1/assistants/import',
      {
        config: { access: 'assistant.create' },
        schema: {
          tags,
          summary: 'Import an exported assistant',
          body: AssistantExport,
          response: { 201: AssistantImportReport },
        },
      },
      async ({ principal, body }, reply) => {
        const { assistant, dropped } = await withTenant(db, principal.organizationId, async (tx) => {
          const report = await importAssistant(tx, principal, body, catalogue);
          await auditAssistant(tx, principal, 'assistant.imported', report.assistant.id);
          return { ...report, assistant: await toAssistantResource(tx, report.assistant, principal, catalogue) };
        });
        return await reply.code(201).send({ assistant, dropped });
      },
    );

    app.get(
      '/lamb/v1/assistants/:id',
      {
        config: { access: 'assistant.read' },
        schema: { tags, summary: 'Read an assistant', params: AssistantParams, response: { 200: Assistant } },
      },
      async ({ principal, params }) =>
        await withAssistant(db, principal, params.id, 'assistant.read', async (tx, { assistant }) => {
          const current = await migrateOnAccess(tx, assistant, await getOrganizationConfig(tx), catalogue);
          return await toAssistantResource(tx, current, principal, catalogue);
        }),
    );

    app.patch(
      '/lamb/v1/assistants/:id',
      {
        config: { access: 'assistant.edit' },
        schema: {
          tags,
          summary: 'Change an assistant',
          params: AssistantParams,
          body: AssistantPatch,
          response: { 200: Assistant },
        },
      },
      async ({ principal, params, body }) =>
        await withAssistant(db, principal, params.id, 'assistant.edit', async (tx, { assistant: found }) => {
          const assistant = await migrateOnAccess(tx, found, await getOrganizationConfig(tx), catalogue);
          const columns = { ragCollections: body.RAG_collections, ragTopK: body.RAG_Top_k };
          const prepared = await prepareAssistant(
            tx,
            assistant,
            {
              systemPrompt: body.system_prompt ?? assistant.systemPrompt,
              promptTemplate: body.prompt_template ?? assistant.promptTemplate,
              metadata: body.metadata ?? applyColumns(assistant, columns),
              columns: {
                ragCollections: columns.ragCollections ?? assistant.ragCollections,
                ragTopK: columns.ragTopK ?? assistant.ragTopK,
              },
            },
            catalogue,
          );
          const { name, description } = body;
          const change = {
            ...prepared,
            ...(name === undefined ? {} : { name }),
            ...(description === undefined ? {} : { description }),
          };
          const changed = await updateAssistant(tx, assistant.id, change, body.version);
          if (!changed) throw new AppError('not_found');
          await auditAssistant(tx, principal, 'assistant.changed', assistant.id, { version: changed.version });
          return await toAssistantResource(tx, changed, principal, catalogue);
        }),
    );

    app.delete(
      '/lamb/v1/assistants/:id',
      {
        config: { access: 'assistant.edit' },
        schema: { tags, summary: 'Delete an assistant', params: AssistantParams, response: { 204: z.null() } },
      },
      async ({ principal, params }, reply) => {
        await withAssistant(db, principal, params.id, 'assistant.edit', async (tx, { assistant }) => {
          await deleteAssistant(tx, assistant.id);
          await auditAssistant(tx, principal, 'assistant.deleted', assistant.id);
        });
        return await reply.code(204).send(null);
      },
    );

    app.post(
      '/lamb/v1/assistants/:id/restore',
      {
        config: { access: 'assistant.edit' },
        schema: {
          tags,
          summary: 'Bring a deleted assistant back, with its shares and publication, for 30 days',
          params: AssistantParams,
          response: { 200: Assistant },
        },
      },
      async ({ principal, params }) =>
        await withTenant(db, principal.organizationId, async (tx) => {
          const since = new Date(Date.now() - RESTORABLE_MS);
          const access = await getDeletedAssistantAccess(tx, params.id, principal.userId, since);
          authorizeAssistant(principal, 'assistant.edit', access);
          await restoreAssistant(tx, params.id);
          await auditAssistant(tx, principal, 'assistant.restored', params.id);
          return await toAssistantResource(tx, access.assistant, principal, catalogue);
        }),
    );

    app.get(
      '/lamb/v1/assistants/:id/card',
      {
        config: { access: 'assistant.use' },
        schema: {
          tags,
          summary: 'See what an assistant is, as those who may use it',
          params: AssistantParams,
          response: { 200: AssistantCard },
        },
      },
      async ({ principal, params }) =>
        await withAssistant(db, principal, params.id, 'assistant.use', (_tx, access) =>
          toAssistantCard(access, principal),
        ),
    );

    app.post(
      '/lamb/v1/assistants/:id/duplicate',
      {
        config: { access: 'assistant.create' },
        schema: { tags, summary: 'Copy an assistant', params: AssistantParams, response: { 201: Assistant } },
      },
      async ({ principal, params }, reply) => {
        const copy = await withAssistant(db, principal, params.id, 'assistant.read', async (tx, { assistant }) => {
          const created = await createWithFreeName(tx, {
            ownerId: principal.userId,
            name: assistant.name,
            description: assistant.description,
            type: assistant.type,
            metadata: assistant.metadata,
            systemPrompt: assistant.systemPrompt,
            promptTemplate: assistant.promptTemplate,
            ragTopK: assistant.ragTopK,
            ragCollections: assistant.ragCollections,
          });
          await auditAssistant(tx, principal, 'assistant.duplicated', created.id, { from: assistant.id });
          return await toAssistantResource(tx, created, principal, catalogue);
        });
        return await reply.code(201).send(copy);
      },
    );

    app.get(
      '/lamb/v1/assistants/:id/export',
      {
        config: { access: 'assistant.read' },
        schema: { tags, summary: 'Export an assistant', params: AssistantParams, response: { 200: AssistantExport } },
      },
      async ({ principal, params }) =>
        await withAssistant(db, principal, params.id, 'assistant.read', (_tx, { assistant }) =>
          toAssistantExport(assistant),
        ),
    );
    done();
  };
}

function toDraft(body: AssistantBody) {
  return {
    systemPrompt: body.system_prompt,
    promptTemplate: body.prompt_template,
    metadata: body.metadata,
    columns: { ragCollections: body.RAG_collections, ragTopK: body.RAG_Top_k },
  };
}
