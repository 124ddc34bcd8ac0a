import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A course page that shows one of our pages in a frame. */
export interface FramingSite {
  readonly url: string;
  /** The page that shows this address. */
  frame(address: string): string;
  stop(): Promise<void>;
}

export async function startFramingSite(): Promise<FramingSite> {
  const server = createServer((request, response) => {
    const shown = new URL(request.url ?? '/', 'http://localhost').searchParams.get('show') ?? 'about:blank';
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html>
<html lang="en">
  <title>Course</title>
  <link rel="icon" href="data:," />
  <style>
    body { margin: 0 }
    iframe { width: 100vw; height: 100vh; border: 0 }
  </style>
  <iframe title="Tutor" src="${encodeURI(shown)}"></iframe>
</html>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    frame: (address) => `${url}/?show=${encodeURIComponent(address)}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
