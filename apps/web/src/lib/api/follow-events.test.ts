import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { followEvents, type FollowedEvent } from './follow-events.ts';

interface Tick {
  readonly n: number;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = (response: ServerResponse) => void;

/** Answers the first connection with the first function and so on; tells what each was asked. */
async function serve(
  ...answers: Answer[]
): Promise<{ url: string; asked: (string | undefined)[]; server: ReturnType<typeof createServer> }> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    answers[Math.min(asked.length, answers.length) - 1]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, server };
}

const open = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
const frame = (n: number) => `id: ${n}\nevent: tick\ndata: {"n":${n}}\n\n`;
const isLast = ({ data }: FollowedEvent<Tick>) => data.n === 4;

async function collect(
  url: string,
  options: Partial<Parameters<typeof followEvents<Tick>>[1]> = {},
): Promise<number[]> {
  const seen: number[] = [];
  const signal = AbortSignal.timeout(10_000);
  for await (const { data } of followEvents<Tick>(url, { signal, isLast, pauseMs: 1, ...options })) seen.push(data.n);
  return seen;
}

test('comes back after a cut connection with the id of its last event, and sees each event once', async () => {
  const { url, asked } = await serve(
    (response) => {
      open(response).write(frame(1) + frame(2).slice(0, 9));
      response.write(frame(2).slice(9), () => response.destroy());
    },
    (response) => {
      response.writeHead(503).end();
    },
    (response) => {
      open(response).end(frame(3) + frame(4));
    },
  );
  expect(await collect(url)).toEqual([1, 2, 3, 4]);
  expect(asked).toEqual([undefined, '2', '2']);
});

test('begins after what is known already, and a stream that ends without its last event is asked again', async () => {
  const { url, asked } = await serve(
    (response) => open(response).end(frame(3)),
    (response) => open(response).end(frame(4)),
  );
  expect(await collect(url, { after: 2 })).toEqual([3, 4]);
  expect(asked).toEqual(['2', '3']);
});

test('a refusal is thrown, with what the server says, and not tried again', async () => {
  const { url, asked } = await serve((response) => {
    response
      .writeHead(404, { 'content-type': 'application/problem+json' })
      .end('{"code":"not_found","title":"No such run."}');
  });
  await expect(collect(url)).rejects.toMatchObject({ status: 404, code: 'not_found', message: 'No such run.' });
  expect(asked).toHaveLength(1);
});

test('stops at once when told to, and hangs up', async () => {
  const gone = Promise.withResolvers<undefined>();
  const { url } = await serve((response) => {
    response.on('close', () => gone.resolve(undefined));
    open(response).write(frame(1));
  });
  const stopping = new AbortController();
  const seen: number[] = [];
  for await (const { data } of followEvents<Tick>(url, { signal: stopping.signal, isLast })) {
    seen.push(data.n);
    stopping.abort();
  }
  expect(seen).toEqual([1]);
  await gone.promise;
});

test('a reader that leaves hangs up too', async () => {
  const gone = Promise.withResolvers<undefined>();
  const { url } = await serve((response) => {
    response.on('close', () => gone.resolve(undefined));
    open(response).write(frame(1) + frame(2));
  });
  for await (const { data } of followEvents<Tick>(url, { signal: new AbortController().signal, isLast })) {
    if (data.n === 1) break;
  }
  await gone.promise;
});
