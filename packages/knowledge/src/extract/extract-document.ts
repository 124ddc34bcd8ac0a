import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ExtractOrder, ExtractReply } from './extract-process.ts';
import type { ExtractedDocument } from './extracted-document.ts';
import { ExtractionFailure, type ExtractionFailureCode } from './extraction-failure.ts';
import { defaultExtractionLimits, type ExtractionLimits } from './extraction-limits.ts';
import { isMemoryDeath } from './is-memory-death.ts';
import { watchMemory } from './watch-memory.ts';

export interface ExtractionRequest {
  content: Uint8Array;
  filename: string;
  /** What the client said it is; decides only where content and name leave it open. */
  mediaType: string;
  limits?: Partial<ExtractionLimits>;
  /** Pages done, of how many; only formats that are read page by page tell. */
  onProgress?: (done: number, total: number) => void;
}

const MOST_INTERRUPTIONS = 3;

/** Reads a document in a child process of its own, which is killed when it takes too much of anything. */
export async function extractDocument(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractedDocument> {
  for (let interruptions = 0; interruptions < MOST_INTERRUPTIONS; interruptions += 1) {
    const document = await readInChild(request, signal);
    if (document) return document;
  }
  throw new Error('What reads documents was ended again and again, by somebody else.');
}

/** Undefined when somebody else has ended the child: the document is not to blame. */
async function readInChild(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractedDocument | undefined> {
  signal.throwIfAborted();
  const limits = { ...defaultExtractionLimits, ...request.limits };
  const child = startChild(limits);
  const { pid } = child;
  const [input, , , output] = child.stdio as unknown as [NodeJS.WritableStream, null, null, Readable];
  const document: ExtractedDocument = { title: null, pages: null, blocks: [] };
  const outcome: { failure: ExtractionFailureCode | null; finished: boolean } = { failure: null, finished: false };

  const kill = () => {
    try {
      // The child leads a group of its own, so nothing that it starts stays behind.
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const giveUp = (code: ExtractionFailureCode) => {
    outcome.failure ??= code;
    kill();
  };
  const take = (reply: ExtractReply) => {
    if (reply.kind === 'progress') request.onProgress?.(reply.done, reply.total);
    else if (reply.kind === 'blocks') document.blocks.push(...reply.blocks);
    else if (reply.kind === 'failure') outcome.failure ??= reply.code;
    else {
      document.title = reply.title;
      document.pages = reply.pages;
      outcome.finished = true;
    }
  };

  const deadline = setTimeout(() => giveUp('took_too_long'), limits.milliseconds);
  const endWatch =
    pid === undefined ? () => undefined : watchMemory(pid, limits.memoryMegabytes, () => giveUp('too_much_memory'));
  signal.addEventListener('abort', kill, { once: true });
  try {
    const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (_code, killedBy) => resolve(killedBy));
    });
    if (pid !== undefined) yieldToOthers(pid);
    const order: ExtractOrder = {
      filename: request.filename,
      mediaType: request.mediaType,
      unpackedBytes: limits.unpackedBytes,
    };
    // A child that ends early does not read to the end; why it ended is told by the rest.
    input.on('error', () => undefined);
    input.write(`${JSON.stringify(order)}\n`);
    input.end(request.content);
    readLines(
      output,
      limits.outputBytes,
      (line) => take(JSON.parse(line) as ExtractReply),
      () => giveUp('too_much_text'),
    );
    const killedBy = await ended;
    signal.throwIfAborted();
    if (outcome.failure !== null) throw new ExtractionFailure(outcome.failure);
    if (outcome.finished) return document;
    if (killedBy !== null && interrupting.has(killedBy)) return undefined;
    throw new ExtractionFailure(failureOfSignal(killedBy));
  } finally {
    clearTimeout(deadline);
    endWatch();
    signal.removeEventListener('abort', kill);
    kill();
  }
}

/** Without the environment, without the right to write files or start programs, and not for longer than the deadline. */
function startChild({ heapMegabytes, milliseconds }: ExtractionLimits) {
  const program = fileURLToPath(new URL('./extract-process.ts', import.meta.url));
  const patience = new URL('./stay-until-told.ts', import.meta.url).href;
  // Should this process die, nobody watches the deadline: then the kernel does, by the processor's time. Several threads
  // collect garbage, so that it may be a multiple of the time passed.
  const seconds = Math.ceil(milliseconds / 1000) * 4;
  return spawn(
    '/bin/sh',
    [
      ...['-c', 'ulimit -c 0 && ulimit -t "$0" && exec "$@"', String(seconds), process.execPath],
      ...[`--max-old-space-size=${heapMegabytes}`, '--permission', '--allow-fs-read=*', '--import', patience, program],
    ],
    { detached: true, env: {}, cwd: '/', stdio: ['pipe', 'ignore', 'ignore', 'pipe'] },
  );
}

/** Answers to people come before documents, and when memory runs out, this process is the one to go. */
function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, 5);
  } catch {
    // It has ended already.
  }
  void writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined);
}

function readLines(output: Readable, bytes: number, onLine: (line: string) => void, onTooMuch: () => void): void {
  let left = bytes;
  let line: string[] = [];
  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    left -= Buffer.byteLength(text);
    if (left < 0) {
      line = [];
      onTooMuch();
      return;
    }
    const [first = '', ...others] = text.split('\n');
    line.push(first);
    for (const next of others) {
      onLine(line.join(''));
      line = [next];
    }
  });
}

/** With these, people and their programs end processes; a parser does not end itself with them. */
const interrupting: ReadonlySet<NodeJS.Signals> = new Set(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']);

/** The kernel ends who takes too much of the processor in a way of its own. */
function failureOfSignal(killedBy: NodeJS.Signals | null): ExtractionFailureCode {
  if (isMemoryDeath(killedBy)) return 'too_much_memory';
  return killedBy === 'SIGXCPU' ? 'took_too_long' : 'corrupt';
}
