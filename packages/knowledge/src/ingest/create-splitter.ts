import { fork, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Chunk, ChunkLimits } from '../chunk/split-blocks.ts';
import type { ExtractedDocument } from '../extract/extracted-document.ts';
import { ExtractionFailure } from '../extract/extraction-failure.ts';
import type { SplitOrder, SplitReply } from './split-process.ts';

/** Cuts documents into passages, outside of this process. */
export interface Splitter {
  split(document: ExtractedDocument, limits: ChunkLimits, signal: AbortSignal): Promise<Chunk[]>;
  close(): void;
}

interface Waiting {
  readonly resolve: (chunks: Chunk[]) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: NodeJS.Timeout;
}

const HEAP_MEGABYTES = 768;

/**
 * Makes a splitter. The tokenizer's tables take a second to load and 100 MB to keep, and cutting a long document takes
 * seconds: all that is done in a child process, which is started when it is needed and ends when it has nothing to do.
 */
export function createSplitter({ idleMs = 10_000, deadlineMs = 120_000 } = {}): Splitter {
  const waiting = new Map<number, Waiting>();
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let serial = 0;

  const settle = (id: number): Waiting | undefined => {
    const one = waiting.get(id);
    waiting.delete(id);
    clearTimeout(one?.deadline);
    if (waiting.size === 0) idle = setTimeout(end, idleMs).unref();
    return one;
  };
  const fail = (error: unknown): void => {
    for (const id of [...waiting.keys()]) settle(id)?.reject(error);
  };
  const end = (): void => {
    clearTimeout(idle);
    child?.kill('SIGKILL');
    child = undefined;
  };
  const start = (): ChildProcess => {
    const started = fork(fileURLToPath(new URL('./split-process.ts', import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${String(HEAP_MEGABYTES)}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.on('message', ({ id, chunks }: SplitReply) => settle(id)?.resolve(chunks));
    started.on('error', fail);
    started.once('exit', () => {
      if (child !== started) return;
      child = undefined;
      fail(new ExtractionFailure('too_much_memory'));
    });
    // It does not keep this process from ending, and ends with it: its channel closes.
    started.unref();
    started.channel?.unref();
    yieldToOthers(started);
    return started;
  };

  return {
    async split(document, limits, signal) {
      signal.throwIfAborted();
      clearTimeout(idle);
      child ??= start();
      serial += 1;
      const id = serial;
      const { promise, resolve, reject } = Promise.withResolvers<Chunk[]>();
      const deadline = setTimeout(() => {
        fail(new ExtractionFailure('took_too_long'));
        end();
      }, deadlineMs);
      waiting.set(id, { resolve, reject, deadline });
      const leave = () => settle(id)?.reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      try {
        const order: SplitOrder = { id, document, limits };
        child.send(order, (error) => {
          if (error) settle(id)?.reject(error);
        });
        return await promise;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    close() {
      fail(new Error('The splitter was closed.'));
      end();
    },
  };
}

/** Answers to people come before documents. */
function yieldToOthers({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, 5);
  } catch {
    // It has ended already.
  }
}
