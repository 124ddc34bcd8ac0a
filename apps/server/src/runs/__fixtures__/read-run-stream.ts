import type { RunEvent } from '@lamb/contract';

interface StreamRequest {
  readonly url: string;
  readonly key: string;
  readonly runId: string;
  readonly lastEventId?: number;
  readonly signal?: AbortSignal;
}

/** Reads the events of a run as a browser does, until the stream ends; whoever stops reading closes the connection. */
export async function* readRunStream({
  url,
  key,
  runId,
  lastEventId,
  signal,
}: StreamRequest): AsyncGenerator<{ id: number; event: RunEvent }> {
  const response = await fetch(`${url}/lamb/v1/runs/${runId}/events`, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
    ...(signal ? { signal } : {}),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(bytes, { stream: true });
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? [];
      if (id !== undefined && data !== undefined) yield { id: Number(id), event: JSON.parse(data) as RunEvent };
    }
  }
}
