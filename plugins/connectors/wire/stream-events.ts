import { AppError } from '@lamb/contract';
import type { ModelEvent } from '@lamb/plugin-kit';
import type { Dispatcher } from 'undici';
import { createBatchQueue } from './create-batch-queue.ts';
import { toProviderError } from './to-provider-error.ts';
import type { WireReader } from './wire-reader.ts';

/** One request to a provider and how to read its answer. */
export interface Exchange {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Kept out of error messages. */
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
  readonly reader: WireReader;
}

type Batches = AsyncIterable<readonly ModelEvent[]>;

/** How much may wait for a consumer that does not pull before the provider's connection is paused. */
const highWaterBytes = 64 * 1024;
const errorBodyBytes = 16 * 1024;
/** How long a provider may keep the connection open after it has said that the answer is complete. */
const lingerMs = 1000;

/**
 * Posts to a provider and yields the events of its answer, one batch for each read of the socket. This is the hot path,
 * so it stands on undici's callbacks: a body stream costs more than parsing what comes out of it. Nothing happens before
 * the first batch is asked for.
 */
export function streamEvents(prepare: () => Exchange): Batches {
  return { [Symbol.asyncIterator]: () => openExchange(prepare()) };
}

function openExchange(exchange: Exchange): AsyncIterator<readonly ModelEvent[], undefined> {
  const { dispatcher, url, headers, body, apiKey, signal, reader } = exchange;
  let state: 'idle' | 'open' | 'closed' = 'idle';
  let controller: Dispatcher.DispatchController | undefined;
  let refusal: { status: number; headers: Readonly<Record<string, string | string[] | undefined>> } | undefined;
  let refusalBody = '';
  let answering = false;
  let unreadBytes = 0;
  let linger: NodeJS.Timeout | undefined;

  const queue = createBatchQueue<ModelEvent>(() => {
    unreadBytes = 0;
    if (controller?.paused === true) controller.resume();
  });

  function open(): void {
    state = 'open';
    if (signal.aborted) {
      fail(signal.reason);
      return;
    }
    signal.addEventListener('abort', onAbort);
    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
        { onRequestStart, onResponseStart, onResponseData, onResponseEnd, onResponseError },
      );
    } catch (error) {
      fail(reportUnreachable(error));
    }
  }

  function close(): void {
    state = 'closed';
    signal.removeEventListener('abort', onAbort);
  }

  function fail(error: unknown): void {
    close();
    queue.fail(error);
  }

  function hangUp(): void {
    controller?.abort(new Error('The exchange with the provider is over.'));
  }

  function onAbort(): void {
    queue.clear();
    fail(signal.reason);
    hangUp();
  }

  function onRequestStart(started: Dispatcher.DispatchController): void {
    controller = started;
    if (state === 'closed') hangUp();
  }

  function onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    responseHeaders: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    if (status < 300) answering = true;
    else refusal = { status, headers: responseHeaders };
  }

  function onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (state !== 'open') return;
    if (refusal !== undefined) {
      refusalBody += chunk.toString('latin1');
      if (refusalBody.length < errorBodyBytes) return;
      endRefused(refusal);
      hangUp();
      return;
    }
    try {
      reader.read(chunk, queue.items);
    } catch (error) {
      fail(reportBroken(error));
      hangUp();
      return;
    }
    if (queue.items.length === 0) return;
    // Counted from the first event that waits: a single event may be longer than this.
    unreadBytes += chunk.length;
    if (unreadBytes >= highWaterBytes) controller?.pause();
    if (isComplete()) {
      endComplete();
      linger = setTimeout(hangUp, lingerMs);
      linger.unref();
    } else {
      queue.wake();
    }
  }

  function onResponseEnd(): void {
    clearTimeout(linger);
    if (state === 'open') endAnswer(undefined);
  }

  function onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(linger);
    if (state === 'open') endAnswer(error);
  }

  function endAnswer(cause: Error | undefined): void {
    if (refusal !== undefined) {
      endRefused(refusal);
      return;
    }
    if (!answering) {
      fail(reportUnreachable(cause));
      return;
    }
    try {
      reader.end(queue.items);
    } catch (error) {
      fail(reportBroken(cause ?? error));
      return;
    }
    if (isComplete()) endComplete();
    else fail(new AppError('provider_stream_broken', { cause }));
  }

  function endComplete(): void {
    close();
    queue.finish();
  }

  function endRefused(response: NonNullable<typeof refusal>): void {
    const text = Buffer.from(refusalBody, 'latin1').toString();
    fail(toProviderError({ ...response, body: text, apiKey }));
  }

  function isComplete(): boolean {
    return queue.items.at(-1)?.type === 'finish';
  }

  return {
    next() {
      if (state === 'idle') open();
      return queue.next();
    },
    return() {
      if (state === 'open') {
        close();
        hangUp();
      }
      queue.clear();
      queue.finish();
      return Promise.resolve({ value: undefined, done: true });
    },
  };
}

/** What a reader trips over that is none of its own errors is an answer of a shape that nobody expected. */
function reportBroken(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('provider_stream_broken', { cause: error });
}

/** A dispatcher that refuses an address says so with an error of ours. */
function reportUnreachable(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('provider_unavailable', { cause: error });
}
