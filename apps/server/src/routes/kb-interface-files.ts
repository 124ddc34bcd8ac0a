import { AppError, KbAdded, KbDocumentsBody, KbFile, KbFileContent, KbFilesQuery, KbUrlsBody } from '@lamb/contract';
import { getDocumentText, type StoredDocument } from '@lamb/store';
import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { addDocument } from '../collections/add-document.ts';
import { cleanFilename } from '../collections/clean-filename.ts';
import { CollectionId, CollectionParams } from '../collections/collection-params.ts';
import { eachUpload } from '../collections/each-upload.ts';
import { fetchPage } from '../collections/fetch-page.ts';
import { withCollection } from '../collections/with-collection.ts';
import { followClient } from '../http/follow-client.ts';
import { validateAllButBody } from '../http/validate-all-but-body.ts';
import { listEveryDocument } from '../kb-interface/list-everything.ts';
import { sendKbError } from '../kb-interface/send-kb-error.ts';
import { toKbAdded, toKbFile } from '../kb-interface/to-kb-resources.ts';
import { withNumberedDocument } from '../kb-interface/with-numbered-document.ts';
import type { Services } from '../services.ts';

const tags = ['Knowledge-base server'];
/** What of a text's metadata a citation shows. */
const Citation = z.object({
  filename: z.string().trim().min(1).optional().catch(undefined),
  source_url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional()
    .catch(undefined),
});
const FileParams = z.object({ id: CollectionId });

/** The interface of the older knowledge-base server: files, texts and pages on their way into a collection. */
export function kbInterfaceFileRoutes({ db, config, outboundFetch }: Services): FastifyPluginAsyncZod {
  return async (app) => {
    app.setErrorHandler((error, request, reply) => {
      sendKbError(error, request, reply);
    });
    await app.register(multipart, {
      limits: { fileSize: config.maxUploadBytes, files: 1, fields: 10, fieldSize: 20_000 },
    });

    app.post(
      '/collections/:id/ingest-file',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Add a file',
          consumes: ['multipart/form-data'],
          params: CollectionParams,
          body: z.object({
            file: z.file(),
            plugin_name: z.string().optional(),
            plugin_params: z.string().optional(),
          }),
          response: { 200: KbAdded },
        },
        validatorCompiler: validateAllButBody,
      },
      async (request) => {
        const { principal, params } = request;
        const collection = await withCollection(db, principal, params.id, 'collection.edit', (_tx, found) => found);
        for await (const { filename, mediaType, content, fields } of eachUpload(request, config.maxUploadBytes)) {
          const file = { collectionId: collection.id, filename, mediaType, content };
          const { document } = await addDocument(db, principal, file);
          return toKbAdded(collection, [document], config, { plugin: fields['plugin_name'] });
        }
        throw new AppError('invalid_request', { message: 'The upload has no field `file`.' });
      },
    );

    app.post(
      '/collections/:id/ingest-url',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Add pages of the web, as they are now',
          params: CollectionParams,
          body: KbUrlsBody,
          response: { 200: KbAdded },
        },
      },
      async ({ principal, params, body }, reply) => {
        const collection = await withCollection(db, principal, params.id, 'collection.edit', (_tx, found) => found);
        const limits = { maxBytes: config.maxUploadBytes, signal: followClient(reply) };
        const documents: StoredDocument[] = [];
        for (const url of body.urls) {
          const page = await fetchPage(url, outboundFetch, limits);
          const added = await addDocument(db, principal, { collectionId: params.id, sourceUrl: url, ...page });
          documents.push(added.document);
        }
        const [first, ...rest] = documents;
        if (!first) throw new AppError('invalid_request');
        return toKbAdded(collection, [first, ...rest], config, { plugin: body.plugin_name ?? 'url_ingest' });
      },
    );

    app.post(
      '/collections/:id/documents',
      {
        config: { access: 'collection.edit' },
        schema: {
          tags,
          summary: 'Add texts',
          params: CollectionParams,
          body: KbDocumentsBody,
          response: { 200: KbAdded },
        },
      },
      async ({ principal, params, body }) => {
        const collection = await withCollection(db, principal, params.id, 'collection.edit', (_tx, found) => found);
        const documents: StoredDocument[] = [];
        for (const [index, { text, metadata }] of body.documents.entries()) {
          const { filename, source_url: sourceUrl } = Citation.parse(metadata ?? {});
          const added = await addDocument(db, principal, {
            collectionId: params.id,
            filename: cleanFilename(filename ?? `text-${String(index + 1)}.md`),
            mediaType: 'text/markdown',
            content: Buffer.from(text),
            sourceUrl,
          });
          documents.push(added.document);
        }
        const [first, ...rest] = documents;
        if (!first) throw new AppError('invalid_request');
        return toKbAdded(collection, [first, ...rest], config, { counted: documents.length });
      },
    );

    app.get(
      '/collections/:id/files',
      {
        config: { access: 'collection.read' },
        schema: {
          tags,
          summary: 'List the files of a collection',
          params: CollectionParams,
          querystring: KbFilesQuery,
          response: { 200: z.array(KbFile) },
        },
      },
      async ({ principal, params, query: { status } }) =>
        await withCollection(db, principal, params.id, 'collection.read', async (tx, { id }) => {
          const files = (await listEveryDocument(tx, id)).map((document) => toKbFile(document, config));
          return files.filter((file) => status === undefined || file.status === status);
        }),
    );

    app.get(
      '/files/:id/content',
      {
        config: { access: 'collection.read' },
        schema: { tags, summary: 'Read the text of a file', params: FileParams, response: { 200: KbFileContent } },
      },
      async ({ principal, params }) =>
        await withNumberedDocument(db, principal, params.id, 'collection.read', async (tx, document) => {
          const content = await getDocumentText(tx, document.id);
          return {
            file_id: document.number,
            original_filename: document.filename,
            content: content ?? '',
            content_type: 'markdown',
            chunk_count: document.chunks,
            timestamp: document.updatedAt.toISOString(),
          };
        }),
    );
  };
}
