import { createServer, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { tokens: { type: 'string', default: '0' }, 'interval-ms': { type: 'string', default: '0' } },
});
const tokens = Number(values.tokens);
const intervalMs = Number(values['interval-ms']);

interface Stream {
  readonly response: ServerResponse;
  readonly begunAt: number;
  sent: number;
}

const streams = new Set<Stream>();

/** A model whose every token says its number and when it was sent, `17@1763181234567`, so that the reader knows its delay. */
const server = createServer((incoming, response) => {
  incoming.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const stream = { response, begunAt: performance.now(), sent: 0 };
    streams.add(stream);
    response.on('close', () => streams.delete(stream));
  });
});

function sayWhatIsDue(stream: Stream): void {
  const due = Math.min(tokens, Math.floor((performance.now() - stream.begunAt) / intervalMs));
  // One write a token, as a provider does it.
  while (stream.sent < due) {
    stream.sent += 1;
    const content = ` ${String(stream.sent)}@${String(Date.now())}`;
    stream.response.write(encode({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
  }
  if (stream.sent < tokens) return;
  streams.delete(stream);
  stream.response.write(encode({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens };
  stream.response.end(`${encode({ choices: [], usage })}data: [DONE]\n\n`);
}

function encode(chunk: object): string {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'bench-model' };
  return `data: ${JSON.stringify({ ...head, ...chunk })}\n\n`;
}

setInterval(() => {
  for (const stream of streams) sayWhatIsDue(stream);
}, 5);
server.listen(0, '127.0.0.1', 4096, () => {
  const address = server.address();
  if (typeof address === 'object' && address) {
    process.stdout.write(`listening on http://127.0.0.1:${String(address.port)}\n`);
  }
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
