import { errorCatalogue, type AppError } from '@lamb/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toProblemDocument } from '../http/send-error.ts';
import { toAppError } from '../http/to-app-error.ts';

/** An error in the way of the older knowledge-base server: a `detail`, beside what our errors say; 422 for what is not valid. */
export function sendKbError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error);
  const status = known.code === 'invalid_request' ? 422 : errorCatalogue[known.code].status;
  if (status >= 500) request.log.error({ err: error, code: known.code }, 'request failed');
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  void reply
    .code(status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send({ ...toProblemDocument(known, request.id), status, detail: toDetail(known) });
}

/** What is wrong with single fields comes as a list, anything else as a sentence. */
function toDetail({ code, message, details }: AppError) {
  const { problems } = details;
  if (code !== 'invalid_request' || !Array.isArray(problems)) return message;
  const where = details['in'] === 'querystring' ? 'query' : 'body';
  return (problems as { path: string; message: string }[]).map((problem) => ({
    type: 'value_error',
    loc: [where, ...(problem.path === '' ? [] : problem.path.split('.'))],
    msg: problem.message,
  }));
}
