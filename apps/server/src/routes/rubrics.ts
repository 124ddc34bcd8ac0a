import {
  AppError,
  PageQuery,
  Rubric,
  RubricBody,
  RubricPage,
  RubricRenderingQuery,
  RubricResource,
  renderRubricForEvaluation,
  renderRubricForExport,
  type Principal,
} from '@lamb/contract';
import {
  createRubric,
  deleteRubric,
  getRubric,
  listRubrics,
  updateRubric,
  withTenant,
  type RubricSummary,
  type StoredRubric,
  type TenantTx,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';

const tags = ['Rubrics'];
const Params = z.object({ id: z.string().max(64) });
const ListQuery = PageQuery.extend({ scope: z.enum(['mine', 'public', 'visible']).default('visible') });

/** Rubrics: what work is assessed by. */
export function rubricRoutes({ db }: Services): FastifyPluginCallbackZod {
  async function withRubric<Result>(
    principal: Principal,
    id: string,
    action: 'rubric.read' | 'rubric.edit',
    work: (tx: TenantTx, rubric: StoredRubric) => Promise<Result> | Result,
  ): Promise<Result> {
    return await withTenant(db, principal.organizationId, async (tx) => {
      const rubric = await getRubric(tx, id);
      authorize(principal, action, rubric && { ...rubric, isOwner: rubric.ownerId === principal.userId });
      if (!rubric) throw new AppError('not_found');
      return await work(tx, rubric);
    });
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/rubrics',
      {
        config: { access: 'rubric.list' },
        schema: { tags, summary: 'List rubrics', querystring: ListQuery, response: { 200: RubricPage } },
      },
      async ({ principal, query }) => {
        const page = await withTenant(db, principal.organizationId, (tx) =>
          listRubrics(tx, { ...query, viewerId: principal.userId }),
        );
        return { items: page.items.map(toSummary), next_cursor: page.nextCursor };
      },
    );

    app.post(
      '/lamb/v1/rubrics',
      {
        config: { access: 'rubric.create' },
        schema: { tags, summary: 'Create a rubric', body: RubricBody, response: { 201: RubricResource } },
      },
      async ({ principal, body }, reply) => {
        const created = await withTenant(db, principal.organizationId, (tx) =>
          createRubric(tx, { ownerId: principal.userId, ...toContent(body) }),
        );
        return await reply.code(201).send(toResource(created));
      },
    );

    app.get(
      '/lamb/v1/rubrics/:id',
      {
        config: { access: 'rubric.read' },
        schema: { tags, summary: 'Read a rubric', params: Params, response: { 200: RubricResource } },
      },
      async ({ principal, params }) =>
        await withRubric(principal, params.id, 'rubric.read', (_tx, rubric) => toResource(rubric)),
    );

    app.put(
      '/lamb/v1/rubrics/:id',
      {
        config: { access: 'rubric.edit' },
        schema: {
          tags,
          summary: 'Replace a rubric',
          params: Params,
          body: RubricBody,
          response: { 200: RubricResource },
        },
      },
      async ({ principal, params, body }) =>
        await withRubric(principal, params.id, 'rubric.edit', async (tx, { rubricId }) => {
          const changed = await updateRubric(tx, rubricId, toContent(body));
          if (!changed) throw new AppError('not_found');
          return toResource(changed);
        }),
    );

    app.delete(
      '/lamb/v1/rubrics/:id',
      {
        config: { access: 'rubric.edit' },
        schema: { tags, summary: 'Delete a rubric', params: Params, response: { 204: z.null() } },
      },
      async ({ principal, params }, reply) => {
        await withRubric(principal, params.id, 'rubric.edit', (tx, { rubricId }) => deleteRubric(tx, rubricId));
        return await reply.code(204).send(null);
      },
    );

    app.get(
      '/lamb/v1/rubrics/:id/markdown',
      {
        config: { access: 'rubric.read' },
        schema: {
          tags,
          summary: 'Render a rubric as markdown, for people or for evaluation',
          params: Params,
          querystring: RubricRenderingQuery,
          response: { 200: { content: { 'text/markdown': { schema: z.string() } } } },
        },
      },
      async ({ principal, params, query }, reply) => {
        const rubric = await withRubric(principal, params.id, 'rubric.read', (_tx, { data }) => Rubric.parse(data));
        const text = query.format === 'export' ? renderRubricForExport(rubric) : renderRubricForEvaluation(rubric);
        return await reply.type('text/markdown; charset=utf-8').send(text);
      },
    );
    done();
  };
}

function toContent({ rubric, is_public }: z.infer<typeof RubricBody>) {
  return { title: rubric.title, description: rubric.description, data: rubric, isPublic: is_public };
}

function toSummary(rubric: RubricSummary) {
  return {
    rubric_id: rubric.rubricId,
    owner: rubric.ownerEmail,
    is_public: rubric.isPublic,
    title: rubric.title,
    description: rubric.description,
    created_at: toUnixSeconds(rubric.createdAt),
    updated_at: toUnixSeconds(rubric.updatedAt),
  };
}

function toResource(rubric: StoredRubric): RubricResource {
  return { ...toSummary(rubric), rubric: Rubric.parse(rubric.data) };
}
