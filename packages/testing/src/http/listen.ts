import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

export interface Listening {
  url: string;
  /** Closes all connections, also busy ones. */
  stop(): Promise<void>;
}

/** Serves `handle` on 127.0.0.1; port 0 or none is a free one. */
export async function listen(handle: RequestListener, port = 0): Promise<Listening> {
  const server = createServer({ noDelay: true, keepAliveTimeout: 30_000 }, handle);
  server.listen(port, '127.0.0.1', 4096);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
