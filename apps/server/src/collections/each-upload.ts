import { AppError } from '@lamb/contract';
import type { FastifyRequest } from 'fastify';
import { cleanFilename } from './clean-filename.ts';

/** A file of an upload, read whole, with the text fields that came before it. */
export interface UploadedFile {
  readonly filename: string;
  readonly mediaType: string;
  readonly content: Buffer;
  readonly fields: Readonly<Record<string, string>>;
}

/** The files of an upload, one after the other: at no time is more than one of them in memory. */
export async function* eachUpload(request: FastifyRequest, limit: number): AsyncGenerator<UploadedFile> {
  if (!request.isMultipart()) {
    throw new AppError('unsupported_media_type', {
      message: 'Send the file as multipart/form-data, in a field `file`.',
    });
  }
  let isEmpty = true;
  const parts = request.parts();
  const fields: Record<string, string> = {};
  for (;;) {
    const part = await read(parts.next(), limit);
    if (part.done === true) break;
    if (part.value.type === 'field') {
      if (typeof part.value.value === 'string') fields[part.value.fieldname] = part.value.value;
      continue;
    }
    const { filename, mimetype: mediaType } = part.value;
    const content = await read(part.value.toBuffer(), limit);
    isEmpty = false;
    yield { filename: cleanFilename(filename), mediaType, content, fields: { ...fields } };
  }
  if (isEmpty) throw new AppError('invalid_request', { message: 'The upload has no field `file`.' });
}

async function read<Result>(reading: Promise<Result>, limit: number): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 413) {
      throw new AppError('payload_too_large', { message: 'The file is too large.', details: { limit }, cause: error });
    }
    // The parser of multipart bodies throws plain errors for everything that a client can get wrong.
    const message = 'The upload could not be read: it is not complete, or not well-formed multipart/form-data.';
    throw new AppError('invalid_request', { message, cause: error });
  }
}
