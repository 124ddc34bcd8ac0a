import type { FastifyReply } from 'fastify';
import { startStream } from './start-stream.ts';

/** Proxies close what is silent for a minute. */
const KEEP_OPEN_MS = 20_000;

/** Sends server-sent frames as they come, until there are no more or the reader leaves; a slow reader is waited for. */
export async function streamFrames(reply: FastifyReply, frames: AsyncIterable<string>): Promise<void> {
  const writer = startStream(reply);
  const keepingOpen = setInterval(() => writer.write(':\n\n'), KEEP_OPEN_MS);
  try {
    for await (const frame of frames) {
      if (reply.raw.destroyed) break;
      if (!writer.write(frame)) await writer.drained();
    }
    reply.raw.end();
  } catch (error) {
    // Nobody ends a stream that was begun: without this, the client would wait for its next event for ever.
    reply.raw.destroy();
    throw error;
  } finally {
    clearInterval(keepingOpen);
  }
}
