import {
  AppError,
  CompletionBody,
  CompletionsCatalogue,
  ConfigValidation,
  RunResource,
  ToolDefinition,
  ToolList,
} from '@lamb/contract';
import { describeToolDefinition } from '@lamb/plugin-kit';
import { getAssistantAccess, getOrganizationConfig, withTenant } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerCompletion } from '../completions/answer-completion.ts';
import { AssistantId } from '../http/assistant-params.ts';
import { readOrganizationSetup } from '../organization/read-organization-setup.ts';
import type { Services } from '../services.ts';
import { completionContent } from './openai.ts';

const AssistantQuery = z.object({ assistant: AssistantId.optional(), assistant_id: AssistantId.optional() });

/** Turns the LAMB way, and what an assistant can be built from. */
export function completionRoutes(services: Services): FastifyPluginCallbackZod {
  const { catalogue, db } = services;
  const definitions = catalogue.tools.map(describeToolDefinition);

  function findTool(name: string) {
    const tool = catalogue.findTool(name);
    if (tool) return tool;
    const known = catalogue.tools.map((candidate) => candidate.name).join(', ');
    throw new AppError('not_found', { message: `There is no tool “${name}”. Known: ${known}.` });
  }

  return (app, _options, done) => {
    app.post(
      '/lamb/v1/completions',
      {
        config: { access: 'assistant.use', startsTurn: true },
        schema: {
          tags: ['Completions'],
          summary: 'Talk to an assistant',
          querystring: AssistantQuery,
          body: CompletionBody,
          response: { 200: { content: completionContent }, 202: RunResource },
        },
      },
      async (request, reply) => {
        const { body, query, principal } = request;
        const id = query.assistant ?? query.assistant_id;
        if (id === undefined) {
          throw new AppError('invalid_request', { message: 'Say which assistant: `?assistant={id}`.' });
        }
        return await answerCompletion(services, request, reply, body, (tx) =>
          getAssistantAccess(tx, id, principal.userId),
        );
      },
    );

    app.get(
      '/lamb/v1/completions/list',
      {
        config: { access: 'catalogue.read' },
        schema: {
          tags: ['Completions'],
          summary: 'List prompt processors, connectors with their models, and tools',
          response: { 200: CompletionsCatalogue },
        },
      },
      async ({ principal }) => {
        const config = await withTenant(db, principal.organizationId, getOrganizationConfig);
        const setup = readOrganizationSetup(principal.organizationId, config);
        return {
          prompt_processors: catalogue.promptProcessors.map(({ name }) => name),
          prompt_processor_details: catalogue.promptProcessors.map(
            ({ name, title, description, placeholders = [] }) => ({
              name,
              title,
              description,
              placeholders: [...placeholders],
            }),
          ),
          connectors: Object.fromEntries(
            catalogue.connectors.map((connector) => [
              connector.name,
              {
                title: connector.title,
                models: setup.providers[connector.name]?.models ?? [],
                configured: !connector.needsProvider || setup.providers[connector.name]?.enabled === true,
              },
            ]),
          ),
          default_model: setup.defaultModel ?? null,
          rag_processors: definitions.filter(({ modes }) => modes.includes('context')).map(({ name }) => name),
          tools: definitions,
          knowledge_base: setup.knowledgeServer ? ('external' as const) : ('own' as const),
        };
      },
    );

    app.get(
      '/lamb/v1/completions/tools',
      {
        config: { access: 'catalogue.read' },
        schema: { tags: ['Completions'], summary: 'List the tools', response: { 200: ToolList } },
      },
      () => ({ tools: definitions, count: definitions.length }),
    );

    app.get(
      '/lamb/v1/completions/tools/:name',
      {
        config: { access: 'catalogue.read' },
        schema: {
          tags: ['Completions'],
          summary: 'Describe one tool',
          params: z.object({ name: z.string() }),
          response: { 200: ToolDefinition },
        },
      },
      ({ params }) => describeToolDefinition(findTool(params.name)),
    );

    app.post(
      '/lamb/v1/completions/tools/:name/validate',
      {
        config: { access: 'catalogue.read' },
        schema: {
          tags: ['Completions'],
          summary: 'Check a tool’s configuration',
          params: z.object({ name: z.string() }),
          body: z.record(z.string(), z.unknown()),
          response: { 200: ConfigValidation },
        },
      },
      ({ params, body }) => {
        const parsed = findTool(params.name).config.safeParse(body);
        const issues = parsed.success ? [] : parsed.error.issues;
        const errors = issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
        return { valid: parsed.success, errors };
      },
    );
    done();
  };
}
