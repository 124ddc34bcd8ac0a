import type { FastifyReply } from 'fastify';

/** A signal that is aborted as soon as the client's connection closes before the response is complete. */
export function followClient(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('The client went away.'));
  });
  return controller.signal;
}
