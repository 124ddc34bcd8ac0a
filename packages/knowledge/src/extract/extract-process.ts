/**
 * The child process of `extractDocument`: reads one document from its input and writes lines of JSON to its fourth
 * descriptor, since libraries write to the usual ones as they please.
 */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Block } from './extracted-document.ts';
import { ExtractionFailure, type ExtractionFailureCode } from './extraction-failure.ts';
import { readDocument } from './read-document.ts';

/** What this process is told, in the first line of its input; the document follows. */
export interface ExtractOrder {
  filename: string;
  mediaType: string;
  unpackedBytes: number;
}

/** What this process tells. A document comes as its blocks, in pieces, and then `done`. */
export type ExtractReply =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'blocks'; blocks: Block[] }
  | { kind: 'done'; title: string | null; pages: number | null }
  | { kind: 'failure'; code: ExtractionFailureCode };

// No parser has a reason to call anybody, and none of what it reads should be able to make it.
Socket.prototype.connect = () => {
  throw new Error('A document is read without the network.');
};

const output = new Socket({ fd: 3, readable: false, writable: true });
async function tell(reply: ExtractReply): Promise<void> {
  if (!output.write(`${JSON.stringify(reply)}\n`)) await once(output, 'drain');
}

const input = await buffer(process.stdin);
const border = input.indexOf('\n');
const order = JSON.parse(input.toString('utf8', 0, border)) as ExtractOrder;

try {
  const document = await readDocument({
    ...order,
    content: input.subarray(border + 1),
    onProgress: (done, total) => void tell({ kind: 'progress', done, total }),
  });
  const size = 500;
  for (let at = 0; at < document.blocks.length; at += size)
    await tell({ kind: 'blocks', blocks: document.blocks.slice(at, at + size) });
  await tell({ kind: 'done', title: document.title, pages: document.pages });
} catch (error) {
  // A parser that falls over something falls over the document: a stack too deep, a tag unclosed.
  await tell({ kind: 'failure', code: error instanceof ExtractionFailure ? error.code : 'corrupt' });
}
output.end(() => process.exit(0));
