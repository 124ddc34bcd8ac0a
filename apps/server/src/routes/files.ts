import { AppError, FilePage, FilePath, FileResource, PageQuery, type Principal } from '@lamb/contract';
import {
  createFile,
  deleteFile,
  getFile,
  listFiles,
  readFileContent,
  withTenant,
  type StoredFile,
  type TenantTx,
} from '@lamb/store';
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import { findImageType } from '../http/find-image-type.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';

const tags = ['Files'];
const Params = z.object({ id: z.string().max(64) });
const uuid = z.uuid();

/** Files: what `single_file_rag` reads. */
export function fileRoutes({ db, config }: Services): FastifyPluginAsyncZod {
  async function withFile<Result>(
    principal: Principal,
    id: string,
    action: 'file.read' | 'file.edit',
    work: (tx: TenantTx, file: StoredFile) => Promise<Result> | Result,
  ): Promise<Result> {
    return await withTenant(db, principal.organizationId, async (tx) => {
      const file = uuid.safeParse(id).success ? await getFile(tx, id) : undefined;
      authorize(principal, action, file && { isOwner: file.ownerId === principal.userId, isPublic: false });
      if (!file) throw new AppError('not_found');
      return await work(tx, file);
    });
  }

  return async (app) => {
    await app.register(multipart, {
      limits: { fileSize: config.maxUploadBytes, files: 1, fields: 5, fieldSize: 2000 },
    });

    app.get(
      '/lamb/v1/files',
      {
        config: { access: 'file.list' },
        schema: { tags, summary: 'List your files', querystring: PageQuery, response: { 200: FilePage } },
      },
      async ({ principal, query }) => {
        const page = await withTenant(db, principal.organizationId, (tx) =>
          listFiles(tx, { ...query, ownerId: principal.userId }),
        );
        return { items: page.items.map(toResource), next_cursor: page.nextCursor };
      },
    );

    app.post(
      '/lamb/v1/files',
      {
        config: { access: 'file.create' },
        schema: {
          tags,
          summary: 'Upload a file; `path`, sent before it, stores it under another name',
          consumes: ['multipart/form-data'],
          body: z.object({ path: FilePath.optional(), file: z.file() }),
          response: { 201: FileResource },
        },
        // The body only describes the upload: it is read as a stream, below.
        validatorCompiler: () => (value: unknown) => ({ value }),
      },
      async (request, reply) => {
        const { principal } = request;
        const { path, mediaType, content } = await readUpload(request, config.maxUploadBytes);
        const created = await withTenant(db, principal.organizationId, (tx) =>
          createFile(tx, { ownerId: principal.userId, path, mediaType, content }),
        );
        return await reply.code(201).send(toResource(created));
      },
    );

    app.get(
      '/lamb/v1/files/:id',
      {
        config: { access: 'file.read' },
        schema: { tags, summary: 'Describe a file', params: Params, response: { 200: FileResource } },
      },
      async ({ principal, params }) =>
        await withFile(principal, params.id, 'file.read', (_tx, file) => toResource(file)),
    );

    app.get(
      '/lamb/v1/files/:id/content',
      {
        config: { access: 'file.read' },
        schema: {
          tags,
          summary: 'Download a file',
          params: Params,
          response: { 200: { content: { 'application/octet-stream': { schema: z.any() } } } },
        },
      },
      async ({ principal, params }, reply) => {
        const { file, content } = await withFile(principal, params.id, 'file.read', async (tx, found) => ({
          file: found,
          content: await readFileContent(tx, found.id),
        }));
        const name = encodeURIComponent(file.path.split('/').at(-1) ?? 'file');
        const image = content && findImageType(content.content);
        if (image === file.mediaType) {
          return await reply
            .header('content-disposition', `inline; filename*=UTF-8''${name}`)
            .header('content-security-policy', "default-src 'none'; sandbox")
            .header('cross-origin-resource-policy', 'same-origin')
            .header('cache-control', 'private, max-age=86400')
            .type(image)
            .send(content?.content);
        }
        // Otherwise an attachment of no particular type: an uploaded page must not run as one of ours.
        return await reply
          .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
          .type('application/octet-stream')
          .send(content?.content);
      },
    );

    app.delete(
      '/lamb/v1/files/:id',
      {
        config: { access: 'file.edit' },
        schema: { tags, summary: 'Delete a file', params: Params, response: { 204: z.null() } },
      },
      async ({ principal, params }, reply) => {
        await withFile(principal, params.id, 'file.edit', (tx, file) => deleteFile(tx, file.id));
        return await reply.code(204).send(null);
      },
    );
  };
}

async function readUpload(request: FastifyRequest, limit: number) {
  if (!request.isMultipart()) {
    throw new AppError('unsupported_media_type', {
      message: 'Send the file as multipart/form-data, in a field `file`.',
    });
  }
  try {
    const upload = await request.file();
    if (!upload) throw new AppError('invalid_request', { message: 'The upload has no field `file`.' });
    const path = readPath(upload.fields['path'], upload.filename);
    return { path, mediaType: upload.mimetype, content: await upload.toBuffer() };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 413) {
      throw new AppError('payload_too_large', { message: 'The file is too large.', details: { limit }, cause: error });
    }
    // The parser of multipart bodies throws plain errors for everything that a client can get wrong.
    const message = 'The upload could not be read: it is not complete, or not well-formed multipart/form-data.';
    throw new AppError('invalid_request', { message, cause: error });
  }
}

function readPath(field: unknown, filename: string): string {
  const given = typeof field === 'object' && field !== null && 'value' in field ? field.value : undefined;
  const parsed = FilePath.safeParse(given ?? filename);
  if (parsed.success) return parsed.data;
  throw new AppError('invalid_request', {
    message: parsed.error.issues[0]?.message ?? 'The file’s path is not valid.',
    details: { param: 'path' },
  });
}

function toResource(file: StoredFile): FileResource {
  return {
    id: file.id,
    owner: file.ownerEmail,
    path: file.path,
    media_type: file.mediaType,
    size: file.size,
    created_at: toUnixSeconds(file.createdAt),
  };
}
