import { Worker } from 'node:worker_threads';

/** Counts the tokens of texts as current OpenAI models do. */
export interface TokenCounter {
  count(texts: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

interface Reply {
  readonly id: number;
  readonly counts: readonly number[];
}

/**
 * Makes a token counter. It works in a thread of its own, started when a trace first needs it: loading its tables takes
 * most of a second, and no answer should wait for that.
 */
export function createTokenCounter(): TokenCounter {
  const waiting = new Map<number, PromiseWithResolvers<readonly number[]>>();
  let worker: Worker | undefined;
  let serial = 0;

  const fail = (error: unknown): void => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./token-worker.ts', import.meta.url));
    started.unref();
    started.on('message', ({ id, counts }: Reply) => {
      waiting.get(id)?.resolve(counts);
      waiting.delete(id);
    });
    started.on('error', fail);
    return started;
  };
  return {
    count(texts) {
      worker ??= start();
      serial += 1;
      const counted = Promise.withResolvers<readonly number[]>();
      waiting.set(serial, counted);
      worker.postMessage({ id: serial, texts });
      return counted.promise;
    },
    async close() {
      await worker?.terminate();
      fail(new Error('The token counter was closed.'));
    },
  };
}
