import type { FastifyReply } from 'fastify';
import { createFrameWriter, type FrameWriter } from './create-frame-writer.ts';

/** Takes a reply out of Fastify's hands and opens it for server-sent frames. */
export function startStream(reply: FastifyReply): FrameWriter {
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
  return createFrameWriter(reply.raw);
}
