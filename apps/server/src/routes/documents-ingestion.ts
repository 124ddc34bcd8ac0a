import { AppError, DocumentResource, ReindexBody, type Principal } from '@lamb/contract';
import type { StoredDocument, TenantTx } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { auditCollection } from '../collections/audit-collection.ts';
import { CollectionParams, DocumentParams } from '../collections/collection-params.ts';
import { resolveEmbedding } from '../collections/resolve-embedding.ts';
import { toDocumentResource } from '../collections/to-document-resource.ts';
import { findDocument, withCollection, withDocument } from '../collections/with-collection.ts';
import { followClient } from '../http/follow-client.ts';
import { cancelDocument } from '../knowledge/cancel-document.ts';
import { retryDocument } from '../knowledge/retry-document.ts';
import { startReindex } from '../knowledge/start-reindex.ts';
import type { Services } from '../services.ts';

const tags = ['Collections'];

/** How documents come into a collection: tried again, given up, or read anew all together. */
export function documentIngestionRoutes(services: Services): FastifyPluginCallbackZod {
  const { db } = services;

  async function change(
    principal: Principal,
    params: z.infer<typeof DocumentParams>,
    work: (tx: TenantTx, document: StoredDocument) => Promise<void>,
  ): Promise<DocumentResource> {
    return await withDocument(db, principal, params, 'collection.edit', async (tx, document) => {
      await work(tx, document);
      const changed = await findDocument(tx, params.id, params.document_id);
      if (!changed) throw new AppError('not_found');
      return toDocumentResource(changed);
    });
  }

  return (app, _options, done) => {
    app.post(
      '/lamb/v1/collections/:id/documents/:document_id/retry',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Read a document in again that failed or was cancelled',
          params: DocumentParams,
          response: { 200: DocumentResource },
        },
      },
      async ({ principal, params }) => await change(principal, params, retryDocument),
    );

    app.post(
      '/lamb/v1/collections/:id/documents/:document_id/cancel',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Stop reading a document in; one that is done stays as it is',
          params: DocumentParams,
          response: { 200: DocumentResource },
        },
      },
      async ({ principal, params }) => await change(principal, params, cancelDocument),
    );

    app.post(
      '/lamb/v1/collections/:id/reindex',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Cut or embed all documents anew; searches see the old state until it is done',
          params: CollectionParams,
          body: ReindexBody,
          response: { 202: z.null() },
        },
      },
      async ({ principal, params, body: { language, chunking, embedding: choice } }, reply) => {
        await withCollection(db, principal, params.id, 'collection.edit', () => undefined);
        const embedding = choice && (await resolveEmbedding(services, principal, choice, followClient(reply)));
        await withCollection(db, principal, params.id, 'collection.edit', async (tx, collection) => {
          await startReindex(tx, collection, {
            ...(language === undefined ? {} : { language }),
            ...(embedding === undefined ? {} : { embedding }),
            ...(chunking === undefined
              ? {}
              : { chunking: { maxTokens: chunking.max_tokens, overlapTokens: chunking.overlap_tokens } }),
          });
          await auditCollection(tx, principal, 'collection.reindexed', params.id);
        });
        return await reply.code(202).send(null);
      },
    );
    done();
  };
}
