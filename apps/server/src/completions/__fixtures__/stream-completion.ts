import type { RunEvent } from '@lamb/contract';
import type { Person, TestServer } from '../../test-server/start-test-server.ts';

/** What a client finds in one frame of a stream. */
export interface Chunk {
  readonly choices?: readonly {
    readonly delta: { readonly role?: string; readonly content?: string; readonly reasoning_content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
  readonly lamb?: RunEvent;
  readonly error?: { readonly message: string; readonly code: string };
}

export interface StreamedCompletion {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly raw: string;
  readonly chunks: readonly Chunk[];
  /** What a client that knows LAMB reads: the run events. */
  readonly events: readonly RunEvent[];
  readonly text: string;
  /** Whether the stream closed as OpenAI's do. */
  readonly done: boolean;
}

/** Asks an assistant with `stream` and reads the stream to its end. */
export async function streamCompletion(
  lamb: Pick<TestServer, 'url'>,
  person: Pick<Person, 'key'>,
  body: { readonly model: string; readonly messages: readonly unknown[] } & Record<string, unknown>,
): Promise<StreamedCompletion> {
  const response = await fetch(`${lamb.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const raw = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const frames = isStream ? raw.split('\n\n').filter((frame) => frame !== '') : [];
  const data = frames.map((frame) => frame.replace(/^data: /, ''));
  const chunks = data.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text) as Chunk);
  return {
    status: response.status,
    headers: response.headers,
    raw,
    chunks,
    events: chunks.flatMap(({ lamb: event }) => event ?? []),
    text: chunks.map((chunk) => chunk.choices?.[0]?.delta.content ?? '').join(''),
    done: data.at(-1) === '[DONE]',
  };
}
