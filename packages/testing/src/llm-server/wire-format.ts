import type { FilledReply } from './fill-reply.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** One provider's way to say things over HTTP. */
export interface WireFormat {
  toolCallIdPrefix: string;
  /** Whether the key that came with the request is the wanted one. */
  acceptsKey: (request: RecordedRequest, key: string) => boolean;
  /** A sentence about what is missing in the request, or undefined. */
  findMistake: (body: unknown) => string | undefined;
  wantsStream: (body: unknown) => boolean;
  encodeWhole: (reply: FilledReply, request: RecordedRequest, serial: number) => unknown;
  encodeStream?: (reply: FilledReply, request: RecordedRequest, serial: number) => EncodedStream;
  encodeError: (error: WireError) => unknown;
  /** The same in mid-stream, framed. */
  encodeStreamError?: (error: WireError) => string;
}

export interface EncodedStream {
  contentType: string;
  /** Framed events before the first chunk, the chunks themselves, and what follows the last. */
  head: string[];
  chunks: string[];
  tail: string[];
}

export interface WireError {
  status: number;
  message: string;
  type?: string;
  code?: string;
}
