import type { LlmFaults } from './llm-reply.ts';
import type { EncodedStream } from './wire-format.ts';

export interface Schedule {
  /** What is written at each beat; the first beat comes after the first delay, the others an interval apart. */
  beats: Buffer[][];
  ending: 'end' | 'hang' | 'cut';
}

/** Turns an encoded answer and its faults into the exact writes that reach the socket. */
export function scheduleWrites(stream: EncodedStream, faults: LlmFaults, errorEvent: string | undefined): Schedule {
  const stopAfter = faults.cutAfterChunks ?? faults.hangAfterChunks ?? faults.errorAfterChunks;
  const ending = faults.cutAfterChunks !== undefined ? 'cut' : faults.hangAfterChunks !== undefined ? 'hang' : 'end';
  const chunks = stream.chunks
    .slice(0, stopAfter)
    .map((chunk, index) => (index + 1 === faults.brokenJsonAtChunk ? breakJson(chunk) : chunk));
  const tail = stopAfter === undefined ? stream.tail : errorEvent === undefined ? [] : [errorEvent];
  const [first, ...others] = chunks;
  const beats = [[...stream.head, ...(first === undefined ? [] : [first])], ...others.map((chunk) => [chunk])];
  beats.at(-1)?.push(...tail);
  return { beats: regroup(beats, faults), ending };
}

function regroup(beats: string[][], faults: LlmFaults): Buffer[][] {
  const { splitBytes, eventsPerWrite } = faults;
  if (splitBytes !== undefined) {
    const all = Buffer.from(beats.flat().join(''));
    const pieces = Array.from({ length: Math.ceil(all.length / splitBytes) }, (_, index) =>
      all.subarray(index * splitBytes, (index + 1) * splitBytes),
    );
    return pieces.map((piece) => [piece]);
  }
  if (eventsPerWrite !== undefined) {
    const events = beats.flat();
    return Array.from({ length: Math.ceil(events.length / eventsPerWrite) }, (_, index) => [
      Buffer.from(events.slice(index * eventsPerWrite, (index + 1) * eventsPerWrite).join('')),
    ]);
  }
  return beats.map((beat) => beat.map((event) => Buffer.from(event)));
}

/** Half of the last line, still framed: the event arrives, its JSON does not. */
function breakJson(frame: string): string {
  const body = frame.trimEnd();
  return body.slice(0, body.length - Math.ceil((body.length - body.lastIndexOf('{"')) / 2)) + frame.slice(body.length);
}
