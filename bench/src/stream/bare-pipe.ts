import { createServer } from 'node:http';
import { pipeline } from 'node:stream';
import { Agent, request } from 'undici';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { upstream: { type: 'string' } } });
const dispatcher = new Agent({ connections: null, pipelining: 1 });

/** The least that a server can do with a stream: undici's body piped to the response. What LAMB's cost is measured against. */
const server = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    void request(`${values.upstream ?? ''}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
      dispatcher,
    }).then(({ body }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pipeline(body, response, () => undefined);
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) {
    process.stdout.write(`listening on http://127.0.0.1:${String(address.port)}\n`);
  }
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
