import { fork, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Chunk, ChunkLimits } from '../chunk/split-blocks.ts';
import type { ExtractedDocument } from '../extract/extracted-document.ts';
import { ExtractionFailure } from '../extract/extraction-failure.ts';
import { isMemoryDeath } from '../extract/is-memory-death.ts';
import type { SplitOrder, SplitReply } from './split-process.ts';

/** Cuts documents into passages, outside of this process. */
export interface Splitter {
  split(document: ExtractedDocument, limits: ChunkLimits, signal: AbortSignal): Promise<Chunk[]>;
  close(): void;
}

interface Waiting {
  readonly order: SplitOrder;
  readonly resolve: (chunks: Chunk[]) => void;
  readonly reject: (error: unknown) => void;
  /** How many children were ended by somebody while they worked on it. */
  interruptions: number;
}

const patience = new URL('../extract/stay-until-told.ts', import.meta.url).href;
const HEAP_MEGABYTES = 768;
const MOST_INTERRUPTIONS = 3;

/**
 * Makes a splitter. The tokenizer's tables take a second to load and 100 MB to keep, and cutting a long document takes
 * seconds: all that is done in a child process, which is started when it is needed and ends when it has nothing to do.
 * It is given one document at a time: what happens to it meanwhile concerns that one only.
 */
export function createSplitter({ idleMs = 10_000, deadlineMs = 120_000 } = {}): Splitter {
  const queue: Waiting[] = [];
  let current: Waiting | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;

  const end = (): void => {
    clearTimeout(idle);
    child?.kill('SIGKILL');
    child = undefined;
  };
  /** What was being worked on, and no longer is. */
  const release = (): Waiting | undefined => {
    const released = current;
    current = undefined;
    clearTimeout(deadline);
    return released;
  };
  const proceed = (): void => {
    if (current) return;
    clearTimeout(idle);
    current = queue.shift();
    if (!current) {
      if (child) idle = setTimeout(end, idleMs).unref();
      return;
    }
    child ??= start();
    deadline = setTimeout(() => {
      end();
      release()?.reject(new ExtractionFailure('took_too_long'));
      proceed();
    }, deadlineMs);
    // A channel that is closed is followed by the end of the child, which says what becomes of the document.
    child.send(current.order, () => undefined);
  };
  const repeat = (interrupted: Waiting, killedBy: NodeJS.Signals): void => {
    interrupted.interruptions += 1;
    if (interrupted.interruptions < MOST_INTERRUPTIONS) queue.unshift(interrupted);
    else interrupted.reject(new Error(`What cuts documents was ended again and again, with ${killedBy}.`));
  };
  const start = (): ChildProcess => {
    const started = fork(fileURLToPath(new URL('./split-process.ts', import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${String(HEAP_MEGABYTES)}`, '--import', patience],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.on('message', ({ chunks }: SplitReply) => {
      if (child !== started) return;
      release()?.resolve(chunks);
      proceed();
    });
    started.once('error', (error) => {
      if (child !== started) return;
      end();
      release()?.reject(error);
      proceed();
    });
    started.once('exit', (code, killedBy) => {
      if (child !== started) return;
      child = undefined;
      const interrupted = release();
      if (isMemoryDeath(killedBy)) interrupted?.reject(new ExtractionFailure('too_much_memory'));
      else if (killedBy === null) interrupted?.reject(new Error(`What cuts documents ended with ${String(code)}.`));
      else if (interrupted) repeat(interrupted, killedBy);
      proceed();
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
      const { promise, resolve, reject } = Promise.withResolvers<Chunk[]>();
      const waiting: Waiting = { order: { document, limits }, resolve, reject, interruptions: 0 };
      const leave = () => {
        const place = queue.indexOf(waiting);
        if (place >= 0) queue.splice(place, 1);
        else if (current === waiting) {
          // Nobody waits for a document that nobody wants.
          end();
          release();
        }
        reject(signal.reason);
        proceed();
      };
      queue.push(waiting);
      signal.addEventListener('abort', leave, { once: true });
      try {
        proceed();
        return await promise;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    close() {
      const closed = new Error('The splitter was closed.');
      for (const { reject } of queue.splice(0)) reject(closed);
      release()?.reject(closed);
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
