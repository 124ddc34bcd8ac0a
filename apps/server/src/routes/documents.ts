import {
  ChunkPage,
  DocumentAdded,
  DocumentPage,
  DocumentResource,
  DocumentsAdded,
  DocumentUrlBody,
  PageQuery,
  Passage,
  PassageQuery,
} from '@lamb/contract';
import { listChunks, listDocuments, readDocumentContent } from '@lamb/store';
import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { addDocument } from '../collections/add-document.ts';
import { auditCollection } from '../collections/audit-collection.ts';
import { CollectionParams, DocumentParams } from '../collections/collection-params.ts';
import { eachUpload } from '../collections/each-upload.ts';
import { fetchPage } from '../collections/fetch-page.ts';
import { readPassage } from '../collections/read-passage.ts';
import { toChunkResource, toDocumentResource } from '../collections/to-document-resource.ts';
import { withCollection, withDocument } from '../collections/with-collection.ts';
import { followClient } from '../http/follow-client.ts';
import { validateAllButBody } from '../http/validate-all-but-body.ts';
import { removeDocument } from '../knowledge/remove-document.ts';
import type { Services } from '../services.ts';

const tags = ['Collections'];
const MOST_FILES = 50;

/** The documents of a collection. */
export function documentRoutes(services: Services): FastifyPluginAsyncZod {
  const { db, config, outboundFetch } = services;
  return async (app) => {
    await app.register(multipart, {
      limits: { fileSize: config.maxUploadBytes, files: MOST_FILES, fields: 5, fieldSize: 2000 },
    });

    app.get(
      '/lamb/v1/collections/:id/documents',
      {
        config: { access: 'collection.read' },
        schema: {
          tags,
          summary: 'List the documents of a collection, the newest first',
          params: CollectionParams,
          querystring: PageQuery,
          response: { 200: DocumentPage },
        },
      },
      async ({ principal, params, query }) =>
        await withCollection(db, principal, params.id, 'collection.read', async (tx, { id }) => {
          const page = await listDocuments(tx, { ...query, collectionId: id });
          return { items: page.items.map(toDocumentResource), next_cursor: page.nextCursor };
        }),
    );

    app.post(
      '/lamb/v1/collections/:id/documents',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Upload documents, each in a field `file`',
          consumes: ['multipart/form-data'],
          params: CollectionParams,
          body: z.object({ file: z.file() }),
          response: { 201: DocumentsAdded },
        },
        validatorCompiler: validateAllButBody,
      },
      async (request, reply) => {
        const { principal, params } = request;
        // Before anything is read: nobody sends a large file only to be told that there is no such collection.
        await withCollection(db, principal, params.id, 'collection.edit', () => undefined);
        const items: DocumentAdded[] = [];
        for await (const { filename, mediaType, content } of eachUpload(request, config.maxUploadBytes)) {
          const added = await addDocument(db, principal, {
            collectionId: params.id,
            filename,
            mediaType,
            content,
          });
          items.push({ document: toDocumentResource(added.document), duplicate: added.duplicate });
        }
        return await reply.code(201).send({ items });
      },
    );

    app.post(
      '/lamb/v1/collections/:id/documents/url',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Add a page of the web, as it is now',
          params: CollectionParams,
          body: DocumentUrlBody,
          response: { 201: DocumentAdded },
        },
      },
      async ({ principal, params, body: { url } }, reply) => {
        await withCollection(db, principal, params.id, 'collection.edit', () => undefined);
        const limits = { maxBytes: config.maxUploadBytes, signal: followClient(reply) };
        const page = await fetchPage(url, outboundFetch, limits);
        const added = await addDocument(db, principal, { collectionId: params.id, sourceUrl: url, ...page });
        return await reply.code(201).send({ document: toDocumentResource(added.document), duplicate: added.duplicate });
      },
    );

    app.get(
      '/lamb/v1/collections/:id/documents/:document_id',
      {
        config: { access: 'collection.read' },
        schema: {
          tags,
          summary: 'Describe a document, and how far it has come',
          params: DocumentParams,
          response: { 200: DocumentResource },
        },
      },
      async ({ principal, params }) =>
        await withDocument(db, principal, params, 'collection.read', (_tx, document) => toDocumentResource(document)),
    );

    app.delete(
      '/lamb/v1/collections/:id/documents/:document_id',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Delete a document, with its passages and vectors',
          params: DocumentParams,
          response: { 204: z.null() },
        },
      },
      async ({ principal, params }, reply) => {
        await withDocument(db, principal, params, 'collection.edit', async (tx, document) => {
          await removeDocument(tx, document);
          const details = { document: document.id };
          await auditCollection(tx, principal, 'collection.document_deleted', params.id, details);
        });
        return await reply.code(204).send(null);
      },
    );

    app.get(
      '/lamb/v1/collections/:id/documents/:document_id/content',
      {
        config: { access: 'collection.read' },
        schema: {
          tags,
          summary: 'Download a document as it was uploaded',
          params: DocumentParams,
          response: { 200: { content: { 'application/octet-stream': { schema: z.any() } } } },
        },
      },
      async ({ principal, params }, reply) => {
        const { filename, content } = await withDocument(
          db,
          principal,
          params,
          'collection.read',
          async (tx, document) => ({
            filename: document.filename,
            content: await readDocumentContent(tx, document.id),
          }),
        );
        // Always an attachment of no particular type: an uploaded page must not run as one of ours.
        return await reply
          .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`)
          .type('application/octet-stream')
          .send(content);
      },
    );

    app.get(
      '/lamb/v1/collections/:id/documents/:document_id/chunks',
      {
        config: { access: 'collection.read' },
        schema: {
          tags,
          summary: 'List the passages of a document, in its order',
          params: DocumentParams,
          querystring: PageQuery,
          response: { 200: ChunkPage },
        },
      },
      async ({ principal, params, query }) =>
        await withDocument(db, principal, params, 'collection.read', async (tx, document) => {
          const page = await listChunks(tx, { ...query, documentId: document.id });
          return { items: page.items.map(toChunkResource), next_cursor: page.nextCursor };
        }),
    );

    app.get(
      '/lamb/v1/collections/:id/documents/:document_id/passage',
      {
        config: { access: 'passage.read' },
        schema: {
          tags,
          summary: 'Read a passage that was found or cited',
          params: DocumentParams,
          querystring: PassageQuery,
          response: { 200: Passage },
        },
      },
      async ({ principal, params, query }) => await readPassage(services, principal, params, query),
    );
  };
}
