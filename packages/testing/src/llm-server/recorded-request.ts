import type { IncomingHttpHeaders } from 'node:http';

/** What the server saw of one request. Times are milliseconds since 1970. */
export interface RecordedRequest {
  id: number;
  method: string;
  /** Without the query. */
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; the raw text when it is none. */
  body: unknown;
  receivedAt: number;
  /** How many chunks of a stream have been written. */
  chunksSent: number;
  /** The whole answer was handed to the socket. */
  finishedAt?: number;
  /** The client closed its connection before the answer was complete. */
  closedEarlyAt?: number;
  /** The server closed it, because the reply said so. */
  cutByServer?: boolean;
}
