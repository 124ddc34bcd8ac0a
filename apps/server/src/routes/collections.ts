import {
  AppError,
  CollectionBody,
  CollectionListQuery,
  CollectionPage,
  CollectionPatch,
  CollectionQueryBody,
  CollectionQueryReply,
  CollectionResource,
  CollectionsQueryBody,
  EmbeddingOffers,
  type Principal,
} from '@lamb/contract';
import {
  countDrafts,
  createCollection,
  deleteCollection,
  getOrganizationConfig,
  listCollections,
  updateCollection,
  withTenant,
  type Collection,
  type TenantTx,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { auditCollection } from '../collections/audit-collection.ts';
import { CollectionParams } from '../collections/collection-params.ts';
import { findPassagesFor } from '../collections/find-passages.ts';
import { listEmbeddingOffers } from '../collections/list-embedding-offers.ts';
import { listWarnings } from '../collections/list-warnings.ts';
import { resolveEmbedding } from '../collections/resolve-embedding.ts';
import { fromRankingResource, toCollectionResource } from '../collections/to-collection-resource.ts';
import { toQueryReply } from '../collections/to-query-reply.ts';
import { withCollection } from '../collections/with-collection.ts';
import { followClient } from '../http/follow-client.ts';
import { readOrganizationSetup } from '../organization/read-organization-setup.ts';
import type { Services } from '../services.ts';

const tags = ['Collections'];

/** Collections of documents that assistants answer from. */
export function collectionRoutes(services: Services): FastifyPluginCallbackZod {
  const { db, config } = services;

  /** As the caller sees them. Who is warned is their owner, at every look: the organisation may have changed its provider. */
  async function describe(
    tx: TenantTx,
    principal: Principal,
    collections: readonly Collection[],
  ): Promise<CollectionResource[]> {
    const document = await getOrganizationConfig(tx);
    const setup = readOrganizationSetup(principal.organizationId, document);
    return collections.map((each) => toCollectionResource(each, principal, listWarnings(each, setup, config)));
  }

  async function describeOne(tx: TenantTx, principal: Principal, collection: Collection | undefined) {
    const [resource] = collection ? await describe(tx, principal, [collection]) : [];
    if (!collection || !resource) throw new AppError('not_found');
    const jobId = collection.reindexJobId;
    const counted = jobId === null ? undefined : await countDrafts(tx, { jobId });
    return counted ? { ...resource, reindex_progress: { done: counted.embedded, total: counted.chunks } } : resource;
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/collections',
      {
        config: { access: 'collection.list' },
        schema: {
          tags,
          summary: 'List collections',
          querystring: CollectionListQuery,
          response: { 200: CollectionPage },
        },
      },
      async ({ principal, query }) =>
        await withTenant(db, principal.organizationId, async (tx) => {
          const page = await listCollections(tx, { ...query, viewerId: principal.userId });
          return { items: await describe(tx, principal, page.items), next_cursor: page.nextCursor };
        }),
    );

    app.post(
      '/lamb/v1/collections',
      {
        config: { access: 'collection.create' },
        schema: { tags, summary: 'Make a collection', body: CollectionBody, response: { 201: CollectionResource } },
      },
      async (request, reply) => {
        const { principal, body } = request;
        const embedding = await resolveEmbedding(services, principal, body.embedding, followClient(reply));
        const created = await withTenant(db, principal.organizationId, async (tx) => {
          const collection = await createCollection(tx, {
            ownerId: principal.userId,
            name: body.name,
            description: body.description,
            visibility: body.visibility,
            language: body.language,
            embedding,
            chunking: { maxTokens: body.chunking.max_tokens, overlapTokens: body.chunking.overlap_tokens },
            ranking: fromRankingResource(body.ranking),
          });
          await auditCollection(tx, principal, 'collection.created', collection.id);
          return await describeOne(tx, principal, collection);
        });
        return await reply.code(201).send(created);
      },
    );

    app.post(
      '/lamb/v1/collections/query',
      {
        config: { access: 'collection.query' },
        schema: {
          tags,
          summary: 'Search several collections at once',
          body: CollectionsQueryBody,
          response: { 200: CollectionQueryReply },
        },
      },
      async (request, reply) => {
        const { principal, body } = request;
        const { collections, ...search } = body;
        const ids = [...new Set(collections)];
        const found = await findPassagesFor(services, principal, ids, search, followClient(reply));
        return toQueryReply(found, principal.organizationId);
      },
    );

    app.get(
      '/lamb/v1/collections/embeddings',
      {
        config: { access: 'collection.create' },
        schema: {
          tags,
          summary: 'List what makes vectors for a new collection, and where texts would leave for',
          response: { 200: EmbeddingOffers },
        },
      },
      async ({ principal: { organizationId } }) => {
        const document = await withTenant(db, organizationId, (tx) => getOrganizationConfig(tx));
        return listEmbeddingOffers(readOrganizationSetup(organizationId, document), document, config);
      },
    );

    app.get(
      '/lamb/v1/collections/:id',
      {
        config: { access: 'collection.read' },
        schema: { tags, summary: 'Read a collection', params: CollectionParams, response: { 200: CollectionResource } },
      },
      async ({ principal, params }) =>
        await withCollection(db, principal, params.id, 'collection.read', (tx, collection) =>
          describeOne(tx, principal, collection),
        ),
    );

    app.patch(
      '/lamb/v1/collections/:id',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Change a collection',
          params: CollectionParams,
          body: CollectionPatch,
          response: { 200: CollectionResource },
        },
      },
      async ({ principal, params, body: { ranking, ...body } }) =>
        await withCollection(db, principal, params.id, 'collection.edit', async (tx) => {
          const change = { ...body, ranking: ranking && fromRankingResource(ranking) };
          const changed = await updateCollection(tx, params.id, change);
          await auditCollection(tx, principal, 'collection.changed', params.id);
          return await describeOne(tx, principal, changed);
        }),
    );

    app.delete(
      '/lamb/v1/collections/:id',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Delete a collection with its documents',
          params: CollectionParams,
          response: { 204: z.null() },
        },
      },
      async ({ principal, params }, reply) => {
        await withCollection(db, principal, params.id, 'collection.edit', async (tx) => {
          await deleteCollection(tx, params.id);
          await auditCollection(tx, principal, 'collection.deleted', params.id);
        });
        return await reply.code(204).send(null);
      },
    );

    app.post(
      '/lamb/v1/collections/:id/query',
      {
        config: { access: 'collection.query' },
        schema: {
          tags,
          summary: 'Search a collection',
          params: CollectionParams,
          body: CollectionQueryBody,
          response: { 200: CollectionQueryReply },
        },
      },
      async (request, reply) => {
        const { principal, params, body } = request;
        const found = await findPassagesFor(services, principal, [params.id], body, followClient(reply));
        return toQueryReply(found, principal.organizationId);
      },
    );
    done();
  };
}
