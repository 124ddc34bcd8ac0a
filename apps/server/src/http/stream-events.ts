import { AppError, type RunEvent } from '@lamb/contract';
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';

/**
 * Sends a turn's events as server-sent frames while they happen. Writes to the socket directly: a chunk then costs one
 * write and no stream in between. A turn that fails before it had anything to say is thrown, so that it becomes a plain
 * error response; a slow reader holds the turn back instead of filling memory.
 */
export async function streamEvents(
  reply: FastifyReply,
  events: AsyncIterable<RunEvent>,
  encode: (event: RunEvent) => string,
): Promise<void> {
  const response = reply.raw;
  for await (const event of events) {
    if (event.type === 'run.failed' && !response.headersSent) {
      throw new AppError(event.code, { message: event.message, details: event.details ?? {} });
    }
    const frame = encode(event);
    if (frame === '') continue;
    if (!response.headersSent) startStream(reply);
    if (response.destroyed) break;
    if (!response.write(frame)) await drained(response);
  }
  if (response.headersSent) response.end();
}

function startStream(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    // What other replies get on their way out, which a stream does not take.
    'x-request-id': reply.request.id,
    'x-content-type-options': 'nosniff',
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  reply.raw.socket?.setNoDelay(true);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
