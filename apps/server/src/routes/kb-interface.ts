import {
  AppError,
  KbCollection,
  KbCollectionBody,
  KbCollectionDeleted,
  KbCollectionList,
  KbListQuery,
  KbPluginQuery,
  KbQueryBody,
  KbQueryReply,
  type EmbeddingChoice,
} from '@lamb/contract';
import { createCollection, deleteCollection, withTenant } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { auditCollection } from '../collections/audit-collection.ts';
import { CollectionParams } from '../collections/collection-params.ts';
import { findPassagesFor } from '../collections/find-passages.ts';
import { resolveEmbedding } from '../collections/resolve-embedding.ts';
import { withCollection } from '../collections/with-collection.ts';
import { followClient } from '../http/follow-client.ts';
import { listEveryCollection } from '../kb-interface/list-everything.ts';
import { sendKbError } from '../kb-interface/send-kb-error.ts';
import { toKbCollection, toKbHit } from '../kb-interface/to-kb-resources.ts';
import type { Services } from '../services.ts';

const tags = ['Knowledge-base server'];

/** The interface of the older knowledge-base server, so that an older LAMB can use our knowledge base: its collections and searches. */
export function kbInterfaceRoutes(services: Services): FastifyPluginCallbackZod {
  const { db, config } = services;
  return (app, _options, done) => {
    app.setErrorHandler((error, request, reply) => {
      sendKbError(error, request, reply);
    });

    app.get(
      '/health',
      {
        config: { access: 'public' },
        schema: {
          tags,
          summary: 'The knowledge-base server is there',
          response: { 200: z.object({ status: z.literal('ok'), version: z.string() }) },
        },
      },
      () => ({ status: 'ok' as const, version: 'lamb' }),
    );

    app.get(
      '/collections',
      {
        config: { access: 'collection.list' },
        schema: { tags, summary: 'List collections', querystring: KbListQuery, response: { 200: KbCollectionList } },
      },
      async ({ principal, query: { skip, limit } }) => {
        const all = await withTenant(db, principal.organizationId, (tx) => listEveryCollection(tx, principal.userId));
        return { total: all.length, items: all.slice(skip, skip + limit).map(toKbCollection) };
      },
    );

    app.post(
      '/collections',
      {
        config: { access: 'collection.create' },
        schema: { tags, summary: 'Make a collection', body: KbCollectionBody, response: { 201: KbCollection } },
      },
      async ({ principal, body }, reply) => {
        const embedding = await resolveEmbedding(services, principal, toChoice(body), followClient(reply));
        const created = await withTenant(db, principal.organizationId, async (tx) => {
          const collection = await createCollection(tx, {
            ownerId: principal.userId,
            name: body.name,
            description: body.description ?? '',
            visibility: body.visibility === 'public' ? 'organization' : 'private',
            embedding,
          });
          await auditCollection(tx, principal, 'collection.created', collection.id);
          return toKbCollection(collection);
        });
        return await reply.code(201).send(created);
      },
    );

    app.get(
      '/collections/:id',
      {
        config: { access: 'collection.read' },
        schema: { tags, summary: 'Read a collection', params: CollectionParams, response: { 200: KbCollection } },
      },
      async ({ principal, params }) =>
        await withCollection(db, principal, params.id, 'collection.read', (_tx, collection) =>
          toKbCollection(collection),
        ),
    );

    app.delete(
      '/collections/:id',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Delete a collection with its files',
          params: CollectionParams,
          response: { 200: KbCollectionDeleted },
        },
      },
      async ({ principal, params }) =>
        await withCollection(db, principal, params.id, 'collection.edit', async (tx, { id, name }) => {
          await deleteCollection(tx, id);
          await auditCollection(tx, principal, 'collection.deleted', id);
          return { id, name, status: 'deleted' as const };
        }),
    );

    app.post(
      '/collections/:id/query',
      {
        config: { access: 'collection.query' },
        schema: {
          tags,
          summary: 'Search a collection',
          params: CollectionParams,
          querystring: KbPluginQuery,
          body: KbQueryBody,
          response: { 200: KbQueryReply },
        },
      },
      async ({ principal, params, query, body }, reply) => {
        if (query.plugin_name !== 'simple_query') {
          const message = `There is no query plugin “${query.plugin_name}”; there is simple_query.`;
          throw new AppError('not_found', { message });
        }
        const startedAt = performance.now();
        const { query_text, top_k, threshold } = body;
        const search = { query: query_text, top_k, threshold, mode: 'hybrid' as const };
        const found = await findPassagesFor(services, principal, [params.id], search, followClient(reply));
        const results = found.hits.map((hit) => toKbHit(hit, principal.organizationId, config));
        const milliseconds = performance.now() - startedAt;
        const [collection] = found.collections;
        return {
          results,
          count: results.length,
          timing: { total_seconds: milliseconds / 1000, total_ms: milliseconds },
          query: query_text,
          embedding_info: {
            vendor: collection?.embedding.provider ?? '',
            model: collection?.embedding.model ?? '',
          },
        };
      },
    );
    done();
  };
}

/** `default` is the organisation's choice, and so is half a choice. */
function toChoice({ embeddings_model: asked }: KbCollectionBody): EmbeddingChoice | undefined {
  const [vendor = 'default', model = 'default'] = [asked?.vendor, asked?.model];
  if (vendor === 'default' || model === 'default') return undefined;
  return { provider: vendor === 'local' ? 'ollama' : vendor, model };
}
