import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestServer } from '../../test-server/start-test-server.ts';

/** Writes bytes to the server's socket, as no well-behaved client would, and reads what comes back. */
export async function sendRaw(
  { url }: Pick<TestServer, 'url'>,
  ...parts: (string | Uint8Array)[]
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => (received += chunk));
  // The server may refuse and hang up before it has read everything; what it said is then already here.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const part of parts) socket.write(part);
  await closed;
  const [head = '', ...body] = received.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), text: body.join('\r\n\r\n') };
}
