import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

const LOOK_EVERY_MS = 50;

/**
 * Lets the server stop as soon as the last answer is out, although clients keep connections for the next time. Node
 * closes those that are idle when it begins to stop, but not those that become idle later, nor those on which nothing
 * was asked yet, as browsers open them to be quick.
 */
export function closeSpareConnections(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  let looking: NodeJS.Timeout | undefined;
  app.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  app.addHook('preClose', (done) => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
    looking = setInterval(() => app.server.closeIdleConnections(), LOOK_EVERY_MS);
    done();
  });
  app.addHook('onClose', (_app, done) => {
    clearInterval(looking);
    done();
  });
}
