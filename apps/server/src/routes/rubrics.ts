import {
  AppError,
  Rubric,
  RubricBody,
  RubricDraft,
  RubricDraftBody,
  RubricImport,
  RubricImportBody,
  RubricPage,
  RubricQuery,
  RubricRenderBody,
  RubricRendering,
  RubricRenderingQuery,
  RubricResource,
  RubricShowcaseBody,
  renderRubricForEvaluation,
  renderRubricForExport,
  type Principal,
} from '@lamb/contract';
import {
  createRubric,
  deleteRubric,
  getRubric,
  listRubrics,
  recordAudit,
  updateRubric,
  withTenant,
  type RubricSummary,
  type StoredRubric,
  type TenantTx,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import { createModelAsker } from '../completions/create-model-asker.ts';
import { resolveModel } from '../completions/resolve-model.ts';
import { followClient } from '../http/follow-client.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import { loadOrganizationSetup } from '../organization/load-organization-setup.ts';
import { draftRubric } from '../rubrics/draft-rubric.ts';
import { readRubricDocument } from '../rubrics/read-rubric-document.ts';
import type { Services } from '../services.ts';

const tags = ['Rubrics'];
const Params = z.object({ id: z.string().max(64) });

/** Rubrics: what work is assessed by. */
export function rubricRoutes(services: Services): FastifyPluginCallbackZod {
  const { db, secretBox, catalogue } = services;

  async function withRubric<Result>(
    principal: Principal,
    id: string,
    action: 'rubric.read' | 'rubric.edit' | 'rubric.showcase',
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
        schema: { tags, summary: 'List rubrics', querystring: RubricQuery, response: { 200: RubricPage } },
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

    app.post(
      '/lamb/v1/rubrics/import',
      {
        config: { access: 'rubric.create' },
        schema: { tags, summary: 'Make a rubric from a file', body: RubricImportBody, response: { 201: RubricImport } },
      },
      async ({ principal, body }, reply) => {
        const { rubric, dropped } = readRubricDocument(body.document);
        const created = await withTenant(db, principal.organizationId, (tx) =>
          createRubric(tx, { ownerId: principal.userId, ...toContent({ rubric, is_public: body.is_public }) }),
        );
        return await reply.code(201).send({ rubric: toResource(created), dropped });
      },
    );

    app.post(
      '/lamb/v1/rubrics/render',
      {
        config: { access: 'rubric.create' },
        schema: {
          tags,
          summary: 'Render a rubric that is not saved',
          body: RubricRenderBody,
          response: { 200: RubricRendering },
        },
      },
      ({ body: { rubric } }) => ({
        export: renderRubricForExport(rubric),
        evaluation: renderRubricForEvaluation(rubric),
      }),
    );

    app.post(
      '/lamb/v1/rubrics/draft',
      {
        config: { access: 'rubric.create', startsTurn: true },
        schema: {
          tags,
          summary: 'Have the organisation’s model write a rubric; it is not saved',
          body: RubricDraftBody,
          response: { 200: RubricDraft },
        },
      },
      async ({ principal, body }, reply) => {
        const { organizationId } = principal;
        const setup = await withTenant(db, organizationId, (tx) => loadOrganizationSetup(tx, secretBox));
        const model = resolveModel({ connector: '', model: '' }, setup, catalogue);
        const run = { principal, runId: randomUUID(), assistantId: null };
        return await draftRubric(body, createModelAsker(model, run, services), followClient(reply));
      },
    );

    app.post(
      '/lamb/v1/rubrics/:id/duplicate',
      {
        config: { access: 'rubric.create' },
        schema: { tags, summary: 'Make a private copy of a rubric', params: Params, response: { 201: RubricResource } },
      },
      async ({ principal, params }, reply) => {
        const created = await withRubric(principal, params.id, 'rubric.read', async (tx, original) => {
          const rubric = Rubric.parse(original.data);
          const copy = { ...rubric, title: `${rubric.title.slice(0, MAX_TITLE - COPY.length)}${COPY}` };
          const content = toContent({ rubric: copy, is_public: false });
          return await createRubric(tx, { ownerId: principal.userId, parentId: original.rubricId, ...content });
        });
        return await reply.code(201).send(toResource(created));
      },
    );

    app.put(
      '/lamb/v1/rubrics/:id/showcase',
      {
        config: { access: 'rubric.showcase' },
        schema: {
          tags,
          summary: 'Show a public rubric as an example, or no longer',
          params: Params,
          body: RubricShowcaseBody,
          response: { 200: RubricResource },
        },
      },
      async ({ principal, params, body: { is_showcase: isShowcase } }) =>
        await withRubric(principal, params.id, 'rubric.showcase', async (tx, { rubricId }) => {
          const changed = await updateRubric(tx, rubricId, { isShowcase });
          if (!changed) throw new AppError('not_found');
          const action = isShowcase ? 'rubric.showcased' : 'rubric.unshowcased';
          await recordAudit(tx, { actorId: principal.userId, action, subject: `rubric:${rubricId}` });
          return toResource(changed);
        }),
    );

    app.get(
      '/lamb/v1/rubrics/:id/export',
      {
        config: { access: 'rubric.read' },
        schema: {
          tags,
          summary: 'A rubric as a file that any installation imports',
          params: Params,
          response: { 200: Rubric.extend({ rubricId: z.string() }) },
        },
      },
      async ({ principal, params }, reply) => {
        const rubric = await withRubric(principal, params.id, 'rubric.read', (_tx, found) => ({
          ...Rubric.parse(found.data),
          rubricId: found.rubricId,
        }));
        const name = encodeURIComponent(`${rubric.title}.json`);
        return await reply.header('content-disposition', `attachment; filename*=UTF-8''${name}`).send(rubric);
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
          const changed = await updateRubric(tx, rubricId, toContent(body), body.version);
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

const MAX_TITLE = 200;
const COPY = ' (copy)';

function toContent({ rubric, is_public }: Pick<z.infer<typeof RubricBody>, 'rubric' | 'is_public'>) {
  // What is not public is no example either.
  const isShowcase = is_public ? {} : { isShowcase: false };
  return { title: rubric.title, description: rubric.description, data: rubric, isPublic: is_public, ...isShowcase };
}

function toSummary(rubric: RubricSummary) {
  return {
    rubric_id: rubric.rubricId,
    owner: rubric.ownerEmail,
    is_public: rubric.isPublic,
    is_showcase: rubric.isShowcase,
    version: rubric.version,
    parent_id: rubric.parentId,
    title: rubric.title,
    description: rubric.description,
    created_at: toUnixSeconds(rubric.createdAt),
    updated_at: toUnixSeconds(rubric.updatedAt),
  };
}

function toResource(rubric: StoredRubric): RubricResource {
  return { ...toSummary(rubric), rubric: Rubric.parse(rubric.data) };
}
