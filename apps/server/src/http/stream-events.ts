import { AppError, type RunEvent } from '@lamb/contract';
import type { FastifyReply } from 'fastify';
import type { FrameWriter } from './create-frame-writer.ts';
import { startStream } from './start-stream.ts';

interface StreamOptions {
  /** Open the stream before there is anything to send; a failure is then an event like any other. */
  readonly opensAtOnce?: boolean;
}

/** Proxies close what is silent for a minute. */
const KEEP_OPEN_MS = 20_000;

/**
 * Sends a turn's events as server-sent frames while they happen. A turn that fails before it had anything to say is thrown, so that it becomes a plain
 * error response, unless it took so long that the stream had to be opened; a slow reader holds the turn back instead of filling memory.
 */
export async function streamEvents(
  reply: FastifyReply,
  events: AsyncIterable<RunEvent>,
  encode: (event: RunEvent) => string,
  { opensAtOnce = false }: StreamOptions = {},
): Promise<void> {
  const response = reply.raw;
  let writer: FrameWriter | undefined;
  const open = () => (writer ??= startStream(reply));
  const keepingOpen = setInterval(() => {
    if (!response.destroyed) open().write(':\n\n');
  }, KEEP_OPEN_MS);
  try {
    if (opensAtOnce) open();
    for await (const event of events) {
      if (event.type === 'run.failed' && !response.headersSent) {
        throw new AppError(event.code, { message: event.message, details: event.details ?? {} });
      }
      const frame = encode(event);
      if (frame === '') continue;
      const stream = open();
      if (response.destroyed) break;
      if (!stream.write(frame)) await stream.drained();
    }
  } catch (error) {
    // Nobody ends a stream that was begun: without this, the client would wait for its next event for ever.
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    clearInterval(keepingOpen);
  }
  if (response.headersSent) response.end();
}
