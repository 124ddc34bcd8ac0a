import type { RunEvent } from '@lamb/contract';
import { setTimeout as wait } from 'node:timers/promises';
import type { World } from './open-world.ts';

/** What a client has of a run. */
export interface Followed {
  readonly events: RunEvent[];
  /** Numbers that did not follow the one before. */
  gaps: number;
  reconnects: number;
}

const COME_BACK_MS = 150;

/** Follows a run to its end as a browser does: it comes back to the other server with the number of its last event whenever it is cut off. */
export async function followRun(
  world: World,
  runId: string,
  first: number,
  random: () => number,
  signal: AbortSignal,
): Promise<Followed> {
  const followed: Followed = { events: [], gaps: 0, reconnects: 0 };
  for (let turn = first; !signal.aborted && !hasEnded(followed.events); turn += 1) {
    const url = world.servers[turn % 2]?.url;
    if (url !== undefined) {
      try {
        // Sometimes the laptop is closed.
        const patience = random() < 0.5 ? 200 + random() * 1500 : 600_000;
        await read(url, world, runId, followed, AbortSignal.any([signal, AbortSignal.timeout(patience)]));
      } catch {
        // Cut off, refused, or the server is down.
      }
    }
    if (hasEnded(followed.events)) break;
    followed.reconnects += 1;
    await wait(COME_BACK_MS * (0.5 + random()));
  }
  return followed;
}

async function read(
  url: string,
  { key, crashes }: World,
  runId: string,
  followed: Followed,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(`${url}/lamb/v1/runs/${runId}/events`, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'last-event-id': String(followed.events.at(-1)?.seq ?? 0),
    },
    signal,
  });
  if (response.status >= 500 && response.status !== 503) crashes.push(`GET /events: ${response.status}`);
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    return;
  }
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(bytes, { stream: true });
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined) continue;
      const event = JSON.parse(data) as RunEvent;
      if (event.seq !== (followed.events.at(-1)?.seq ?? 0) + 1) followed.gaps += 1;
      followed.events.push(event);
    }
  }
}

export function hasEnded(events: readonly RunEvent[]): boolean {
  const last = events.at(-1)?.type;
  return last === 'run.finished' || last === 'run.failed' || last === 'run.cancelled';
}
