import { AppError } from '@lamb/contract';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';

/** What the framework and the database throw, in our own terms. Anything unknown is an internal error without detail. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const problems = error.validation.map(({ instancePath, message }) => ({
      path: instancePath.replace(/^\//, '').replaceAll('/', '.'),
      message: (message ?? 'is not valid').replace(/\.$/, ''),
    }));
    const [first] = problems;
    return new AppError('invalid_request', {
      ...(first ? { message: `The request is not valid: ${describe(first)}.` } : {}),
      details: { in: error.validationContext, problems, ...(first ? { param: first.path } : {}) },
      cause: error,
    });
  }
  const { statusCode, code } = readFrameworkError(error);
  if (code === 'FST_REQ_FILE_TOO_LARGE' || statusCode === 413)
    return new AppError('payload_too_large', { cause: error });
  if (statusCode === 415) return new AppError('unsupported_media_type', { cause: error });
  if (statusCode === 404) return new AppError('not_found', { cause: error });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid_request', { message: 'The request could not be read.', cause: error });
  }
  if (code !== undefined && isDatabaseGone(code)) return new AppError('service_unavailable', { cause: error });
  return new AppError('internal_error', { cause: error });
}

function describe({ path, message }: { path: string; message: string }): string {
  return path === '' ? message : `“${path}”: ${message}`;
}

function readFrameworkError(error: unknown): { statusCode?: number; code?: string } {
  if (!(error instanceof Error)) return {};
  const statusCode = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { ...(statusCode === undefined ? {} : { statusCode }), ...(code === undefined ? {} : { code }) };
}

/** Connection failures of Node and PostgreSQL's classes 08 (connection), 53 (resources) and 57P (shutdown). */
function isDatabaseGone(code: string): boolean {
  return /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|08...|53...|57P..)$/.test(code);
}
