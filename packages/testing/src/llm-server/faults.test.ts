import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LlmReply } from './llm-reply.ts';
import { startLlmServer, type LlmServer } from './start-llm-server.ts';

let server: LlmServer;

beforeAll(async () => {
  server = await startLlmServer();
});
beforeEach(() => {
  server.reset();
});
afterAll(() => server.stop());

test('a status comes with the error body and Retry-After', async () => {
  server.script({ faults: { status: 429, retryAfterSeconds: 7 } });
  const response = await chat();
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('7');
  expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  expect((await chat()).status).toBe(200);
});

test('hanging before the headers ends when the client gives up, and that is recorded', async () => {
  server.script({ faults: { hangBeforeHeaders: true } });
  const abort = new AbortController();
  const pending = chat({ signal: abort.signal });
  await vi.waitFor(() => {
    expect(server.requests).toHaveLength(1);
  });
  expect(server.requests[0]?.closedEarlyAt).toBeUndefined();
  abort.abort();
  await expect(pending).rejects.toThrow('aborted');
  await vi.waitFor(() => {
    expect(server.requests[0]?.closedEarlyAt).toBeTypeOf('number');
  });
});

test('hanging in mid-stream sends the chunks before it', async () => {
  server.script({ tokens: 5, faults: { hangAfterChunks: 2 } });
  const abort = new AbortController();
  const response = await chat({ signal: abort.signal });
  let text = '';
  const reading = (async () => {
    for await (const piece of readStream(response)) text += piece;
  })();
  await vi.waitFor(() => {
    expect(text).toContain('" t2"');
  });
  abort.abort();
  await expect(reading).rejects.toThrow('aborted');
  expect(text).not.toContain('t3');
  await vi.waitFor(() => {
    expect(server.requests[0]?.closedEarlyAt).toBeTypeOf('number');
  });
});

test('hanging after no chunk still sends headers, also where nothing comes before the first chunk', async () => {
  server.script({ tokens: 5, faults: { hangAfterChunks: 0 } });
  const response = await fetch(`${server.url}/api/chat`, { method: 'POST', body: JSON.stringify({ model: 'm' }) });
  expect(response.status).toBe(200);
  await response.body?.cancel();
});

test('a cut socket is an error for the client after the chunks before it, and no early close of its own', async () => {
  server.script({ tokens: 5, faults: { cutAfterChunks: 3 } });
  const response = await chat();
  let text = '';
  await expect(
    (async () => {
      for await (const piece of readStream(response)) text += piece;
    })(),
  ).rejects.toThrow('terminated');
  expect(text).toContain('" t3"');
  expect(text).not.toContain('t4');
  expect(server.requests[0]).toMatchObject({ cutByServer: true, chunksSent: 3 });
  expect(server.requests[0]?.closedEarlyAt).toBeUndefined();
});

test('without streaming, a cut ends in the middle of the body', async () => {
  server.script({ tokens: 5, faults: { cutAfterChunks: 0 } });
  const response = await chat({ stream: false });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
});

test('a broken chunk is the only one that does not parse', async () => {
  server.script({ tokens: 5, faults: { brokenJsonAtChunk: 3 } });
  const events = await readEvents(await chat());
  const broken = events
    .map((event, index) => (parses(event) ? undefined : index))
    .filter((index) => index !== undefined);
  expect(broken).toEqual([3, events.length - 1]);
  expect(events.at(-1)).toBe('[DONE]');
  server.script({ tokens: 5, faults: { brokenJsonAtChunk: 1 } });
  expect(parses(await (await chat({ stream: false })).text())).toBe(false);
});

test('an error in mid-stream ends it', async () => {
  server.script({ tokens: 5, faults: { errorAfterChunks: 2, error: { message: 'The server had an error.' } } });
  const events = await readEvents(await chat());
  expect(events).toHaveLength(4);
  expect(JSON.parse(events[3] ?? '')).toMatchObject({ error: { message: 'The server had an error.' } });
});

describe('tool calls', () => {
  const toolCalls = [
    { name: 'one', arguments: { city: 'Bilbao' } },
    { name: 'two', arguments: { city: 'Iruña' } },
  ];

  test('arguments can end half-way', async () => {
    expect(await readCalls({ toolCalls, faults: { truncateToolArguments: true } })).toEqual([
      { id: 'call_1', arguments: '{"city":"' },
      { id: 'call_2', arguments: '{"city":' },
    ]);
  });

  test('ids can be missing or doubled', async () => {
    const missing = await readCalls({ toolCalls, faults: { toolCallIds: 'missing' } });
    expect(missing.map((call) => call.id)).toEqual([undefined, undefined]);
    const doubled = await readCalls({ toolCalls, faults: { toolCallIds: 'duplicate' } });
    expect(doubled.map((call) => call.id)).toEqual(['call_1', 'call_1']);
  });

  async function readCalls(reply: LlmReply): Promise<{ id: string | undefined; arguments: string }[]> {
    server.script(reply);
    const body = (await (await chat({ stream: false })).json()) as {
      choices: { message: { tool_calls: { id?: string; function: { arguments: string } }[] } }[];
    };
    const calls = body.choices[0]?.message.tool_calls ?? [];
    return calls.map((call) => ({ id: call.id, arguments: call.function.arguments }));
  }
});

describe('writes', () => {
  const text = 'ñandú 🐑 naïve';

  test('bytes can be split inside a UTF-8 sequence', async () => {
    server.script({ text }, { text, faults: { splitBytes: 1 } });
    const whole = await readEvents(await chat());
    const pieces = await readPieces();
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(1);
    const bytes = Buffer.concat(pieces).toString();
    expect(splitEvents(bytes).map(readContent)).toEqual(whole.map(readContent));
    expect(splitEvents(bytes).map(readContent).join('')).toBe(text);
  });

  test('events without an interval are still chunks of their own', async () => {
    server.script({ tokens: 4 });
    expect((await readPieces()).map((piece) => splitEvents(piece.toString()).length)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  });

  test('several events can come in one write', async () => {
    server.script({ tokens: 6, faults: { eventsPerWrite: 4 } });
    const pieces = await readPieces();
    expect(pieces.map((piece) => splitEvents(piece.toString()).length)).toEqual([4, 4, 1]);
  });
});

describe('pace', () => {
  test('chunks keep their interval and the first its delay', async () => {
    server.script({ tokens: 5, firstDelayMs: 60, intervalMs: 20 });
    const started = performance.now();
    const response = await chat();
    const headers = performance.now() - started;
    await response.text();
    const whole = performance.now() - started;
    expect(headers).toBeGreaterThanOrEqual(59);
    expect(whole).toBeGreaterThanOrEqual(59 + 4 * 20);
    expect(whole).toBeLessThan(1000);
  });

  test('a client that leaves stops the stream', async () => {
    server.script({ tokens: 1000, intervalMs: 5 });
    const abort = new AbortController();
    const response = await chat({ signal: abort.signal });
    expect(response.status).toBe(200);
    const left = Date.now();
    abort.abort();
    await vi.waitFor(() => {
      expect(server.requests[0]?.closedEarlyAt).toBeTypeOf('number');
    });
    expect((server.requests[0]?.closedEarlyAt ?? Infinity) - left).toBeLessThan(500);
    const sent = server.requests[0]?.chunksSent;
    server.script({ tokens: 3, intervalMs: 20 });
    await (await chat()).text();
    expect(server.requests[0]?.chunksSent).toBe(sent);
  });

  test('many streams share the pace without losing a token', async () => {
    server.script({ tokens: 40, intervalMs: 5, times: 'always', prebuilt: true });
    const texts = await Promise.all(Array.from({ length: 50 }, async () => splitEvents(await (await chat()).text())));
    for (const events of texts) {
      expect(events.map(readContent).join('')).toBe(
        Array.from({ length: 40 }, (_, index) => `t${index + 1}`).join(' '),
      );
    }
  });
});

describe('scripts', () => {
  test('are taken in order, matched by content, counted, or chosen by a function', async () => {
    server.script(
      { text: 'for b', when: { lastMessage: 'b' } },
      { text: 'twice', times: 2 },
      ({ body }) => (JSON.stringify(body).includes('"z"') ? { text: 'from a function' } : undefined),
      { text: 'always', times: 'always' },
    );
    const answers = [];
    for (const content of ['a', 'b', 'z', 'z', 'a', 'a']) answers.push(await ask(content));
    expect(answers).toEqual(['twice', 'for b', 'twice', 'from a function', 'always', 'always']);
  });

  test('reach endpoints that do not generate when they name the path', async () => {
    server.script({ when: { path: '/v1/models' }, faults: { status: 503 } });
    expect(await ask('a')).toMatch(/^t1 /);
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(503);
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
  });

  async function ask(content: string): Promise<string> {
    const body = (await (await chat({ stream: false, content })).json()) as {
      choices: { message: { content: string } }[];
    };
    return body.choices[0]?.message.content ?? '';
  }
});

interface ChatOptions {
  stream?: boolean;
  content?: string;
  signal?: AbortSignal;
}

async function chat({ stream = true, content = 'hi', signal }: ChatOptions = {}): Promise<Response> {
  return await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content }] }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** One buffer for each HTTP chunk; fetch would join those that arrive before they are read. */
async function readPieces(): Promise<Buffer[]> {
  const sending = request(`${server.url}/v1/chat/completions`, { method: 'POST' });
  sending.end(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }));
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  response.on('data', (piece: Buffer) => pieces.push(piece));
  await once(response, 'end');
  return pieces;
}

async function* readStream(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  if (response.body === null) throw new Error('The response has no body.');
  for await (const piece of response.body as AsyncIterable<Uint8Array>) yield decoder.decode(piece, { stream: true });
}

async function readEvents(response: Response): Promise<string[]> {
  return splitEvents(await response.text());
}

function splitEvents(text: string): string[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''));
}

function readContent(event: string): string {
  if (!parses(event)) return '';
  const chunk = JSON.parse(event) as { choices: { delta: { content?: string } }[] };
  return chunk.choices[0]?.delta.content ?? '';
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
