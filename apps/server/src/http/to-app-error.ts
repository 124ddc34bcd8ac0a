import { AppError } from '@lamb/contract';
import { isDatabaseGone } from '@lamb/store';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { BODY_LIMIT } from './read-json-bodies.ts';

/** What the framework and the database throw, in our own terms. Anything unknown is an internal error without detail. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const problems = error.validation.map(({ instancePath, message }) =>
      toProblem(instancePath.replace(/^\//, '').replaceAll('/', '.'), message ?? 'is not valid'),
    );
    const [first] = problems;
    return new AppError('invalid_request', {
      ...(first ? { message: `The request is not valid: ${describe(first)}.` } : {}),
      details: { in: error.validationContext, problems, ...(first?.path ? { param: first.path } : {}) },
      cause: error,
    });
  }
  const { statusCode, code } = readFrameworkError(error);
  if (statusCode === 413) {
    const details = code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? { limit: BODY_LIMIT } : {};
    return new AppError('payload_too_large', { details, cause: error });
  }
  if (statusCode === 415) return new AppError('unsupported_media_type', { cause: error });
  if (statusCode === 404) return new AppError('not_found', { cause: error });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const message = unreadable.get(code) ?? 'The request could not be read.';
    return new AppError('invalid_request', { message, cause: error });
  }
  if (isDatabaseGone(error)) return new AppError('service_unavailable', { cause: error });
  return new AppError('internal_error', { cause: error });
}

const unreadable: ReadonlyMap<string | undefined, string> = new Map([
  ['FST_ERR_BAD_URL', 'The address is not valid: a % in it must be followed by two hexadecimal digits of UTF-8.'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'A part of the address is too long.'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'The body is not as long as the header Content-Length says.'],
]);

interface Problem {
  readonly path: string;
  readonly message: string;
}

function toProblem(path: string, message: string): Problem {
  const plain = message.replace(/^Invalid input: /, '').replace(/\.$/, '');
  if (path !== '' || !/^expected (object|record)/.test(plain)) return { path, message: plain };
  return { path, message: 'the body must be a JSON object' };
}

function describe({ path, message }: Problem): string {
  return path === '' ? message : `“${path}”: ${message}`;
}

function readFrameworkError(error: unknown): { statusCode?: number; code?: string } {
  if (!(error instanceof Error)) return {};
  const statusCode = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { ...(statusCode === undefined ? {} : { statusCode }), ...(code === undefined ? {} : { code }) };
}
