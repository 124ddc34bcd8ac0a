import { AppError, isTooDeep, MAX_JSON_DEPTH } from '@lamb/contract';
import type { FastifyInstance } from 'fastify';

/** How many bytes a JSON body may have: a conversation with a few images. */
export const BODY_LIMIT = 20_000_000;

/** Makes JSON the only body that routes read, and says what is wrong with one that cannot be read. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Many clients name the type of a body that they do not send. A route that needs one says so itself.
    if (body === '') {
      done(null, undefined);
    } else if (isTooDeep(body)) {
      done(refuse(`The body is nested more than ${String(MAX_JSON_DEPTH)} levels deep.`));
    } else {
      void parse(request, body, (error, value) => {
        done(error && explain(body), value);
      });
    }
  });
}

function explain(body: string): AppError {
  try {
    JSON.parse(body);
  } catch (cause) {
    return refuse(`The body is not valid JSON: ${cause instanceof Error ? cause.message : ''}.`, cause);
  }
  return refuse('The body has a key that is not allowed: “__proto__”, or “prototype” in “constructor”.');
}

function refuse(message: string, cause?: unknown): AppError {
  return new AppError('invalid_request', { message, cause });
}
