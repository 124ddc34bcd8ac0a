import { EventSourceParserStream } from 'eventsource-parser/stream';
import { pause } from './pause.ts';
import { readProblem } from './read-problem.ts';

/** One server-sent event, with its data parsed. */
export interface FollowedEvent<Data> {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Data;
}

interface FollowOptions<Data> {
  /** The id of the last event that is known already. */
  readonly after?: string | number | undefined;
  readonly signal: AbortSignal;
  /** True for the event after which nothing comes; without it, the stream is followed until it ends by itself. */
  readonly isLast?: (event: FollowedEvent<Data>) => boolean;
  /** Told when the connection was lost and when it is back. */
  readonly onconnection?: (state: 'open' | 'lost') => void;
  /** The shortest pause before coming back; each further failure doubles it. */
  readonly pauseMs?: number;
}

const LONGEST_PAUSE_MS = 8000;

/**
 * Follows a stream of events across lost connections: each time it comes back with `Last-Event-ID`, so that nothing is
 * missed or seen twice. Ends after the last event or when `signal` aborts; throws what the server refuses.
 */
export async function* followEvents<Data>(
  url: string,
  { after, signal, isLast, onconnection, pauseMs = 400 }: FollowOptions<Data>,
): AsyncGenerator<FollowedEvent<Data>, void, undefined> {
  let lastId = after === undefined ? undefined : String(after);
  let failures = 0;
  const isStopped = () => signal.aborted;
  while (!isStopped()) {
    try {
      const response = await fetch(url, {
        headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
        credentials: 'same-origin',
        cache: 'no-store',
        signal,
      });
      if (response.status < 500 && !response.ok) throw new Refused(response);
      if (response.ok && response.body) {
        onconnection?.('open');
        for await (const { id, event, data } of readFrames(response.body)) {
          failures = 0;
          if (id !== undefined) lastId = id;
          const followed = { id, event, data: JSON.parse(data) as Data };
          yield followed;
          if (isLast?.(followed)) return;
        }
        if (!isLast) return;
      }
    } catch (error) {
      if (error instanceof Refused) throw await readProblem(error.response);
      if (isStopped()) return;
      // A frame that is not JSON will not become JSON by asking again.
      if (error instanceof SyntaxError) throw error;
    }
    onconnection?.('lost');
    await pause(Math.min(pauseMs * 2 ** failures, LONGEST_PAUSE_MS), signal);
    failures += 1;
  }
}

class Refused extends Error {
  readonly response: Response;
  constructor(response: Response) {
    super(`HTTP ${response.status}`);
    this.response = response;
  }
}

async function* readFrames(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<{ id?: string | undefined; event?: string | undefined; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Who stops listening also hangs up.
    await reader.cancel().catch(() => undefined);
  }
}
