import { errorCatalogue, type AppError, type ErrorCode } from '@lamb/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toAppError } from './to-app-error.ts';

/** What a second try would only repeat, at a price. OpenAI's clients retry every 5xx by themselves unless they are told. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'provider_rejected',
  'provider_credentials_rejected',
  'deadline_exceeded',
  'budget_exceeded',
]);

/** The one place where an error becomes a response: OpenAI's body under `/v1`, problem+json elsewhere. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error);
  const { status } = errorCatalogue[known.code];
  if (status >= 500) request.log.error({ err: error, code: known.code }, 'request failed');
  const retryAfter = known.details['retry_after'];
  if (typeof retryAfter === 'number' || typeof retryAfter === 'string') reply.header('retry-after', String(retryAfter));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (FINAL.has(known.code)) reply.header('x-should-retry', 'false');
  if (request.url.startsWith('/v1/')) {
    void reply.code(status).type('application/json').serializer(JSON.stringify).send(toOpenAiError(known, request.id));
  } else {
    void reply
      .code(status)
      .type('application/problem+json')
      .serializer(JSON.stringify)
      .send(toProblemDocument(known, request.id));
  }
}

/** An error in OpenAI's shape, for responses and for the middle of a stream. */
export function toOpenAiError(error: AppError, requestId: string) {
  const { status, next } = errorCatalogue[error.code];
  const type =
    status < 500 && status !== 429 ? 'invalid_request_error' : status === 429 ? 'rate_limit_error' : 'api_error';
  const param = typeof error.details['param'] === 'string' ? error.details['param'] : null;
  const message = `${error.message} ${next}`;
  return { error: { message, type, param, code: error.code, request_id: requestId, ...detailsOf(error) } };
}

/** An error as a problem document, which everything but OpenAI's paths answers with. */
export function toProblemDocument(error: AppError, requestId: string) {
  const { status, next } = errorCatalogue[error.code];
  return {
    type: 'about:blank',
    title: error.message,
    status,
    code: error.code,
    next,
    request_id: requestId,
    ...detailsOf(error),
  };
}

function detailsOf({ details }: AppError) {
  return Object.keys(details).length === 0 ? {} : { details };
}
