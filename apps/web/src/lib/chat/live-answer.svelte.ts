import type { RunEvent } from '@lamb/contract';
import { ApiError } from '#lib/api/api-error.ts';
import { api, unwrap } from '#lib/api/client.ts';
import { followEvents } from '#lib/api/follow-events.ts';
import { pause } from '#lib/api/pause.ts';
import { applyEvents, emptyAnswer, fromRunAnswer, isOver, type Answer } from './answer.ts';

/** An answer that is drawn while it comes. */
export interface LiveAnswer {
  readonly runId: string;
  readonly current: Answer;
  /** Whether the connection was lost; it is being looked for. */
  readonly isLost: boolean;
  /** Why it cannot be followed, which is not the same as why it failed. */
  readonly problem: unknown;
  /** Follows the run from its beginning to its end, across lost connections. */
  follow(): Promise<void>;
  /** Reads the run in one piece. */
  load(): Promise<void>;
  /** Reads what else is known of an answer whose text alone was given. That text is never lost, whatever fails. */
  complete(): Promise<void>;
  /** Stops following; the run goes on. */
  leave(): void;
}

const LONGEST_PAUSE_MS = 30_000;
const ends = new Set<RunEvent['type']>(['run.finished', 'run.failed', 'run.cancelled']);

/** The answer of a run. What happens is drawn once a frame, however much of it there is. */
export function createLiveAnswer(runId: string, initial: Answer = emptyAnswer): LiveAnswer {
  let current = $state.raw(initial);
  let isLost = $state(false);
  let problem = $state.raw<unknown>();
  const leaving = new AbortController();
  let isTextOnly = isOver(initial) && initial.text !== '';

  let waiting: RunEvent[] = [];
  let frame: number | undefined;
  function draw(): void {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    const events = waiting;
    waiting = [];
    if (events.length > 0) current = applyEvents(current, events);
  }

  const listen = () =>
    followEvents<RunEvent>(`/lamb/v1/runs/${runId}/events`, {
      after: 0,
      signal: leaving.signal,
      isLast: ({ data }) => data.parent_call_id === undefined && ends.has(data.type),
      onconnection: (state) => {
        isLost = state === 'lost';
      },
    });
  /** What another assistant did is told by the events alone. They are drawn when all are there. */
  async function readEvents(): Promise<void> {
    const events: RunEvent[] = [];
    for await (const { data } of listen()) events.push(data);
    if (!leaving.signal.aborted) current = applyEvents(emptyAnswer, events);
  }
  /** Reads the run in one piece, or throws. */
  async function read(): Promise<void> {
    const { signal } = leaving;
    current = fromRunAnswer(
      await unwrap(api.GET('/lamb/v1/runs/{id}/answer', { params: { path: { id: runId } }, signal })),
    );
    if (isOver(current) && current.calls.some(({ tool }) => tool === 'assistant')) await readEvents();
  }

  return {
    runId,
    get current() {
      return current;
    },
    get isLost() {
      return isLost;
    },
    get problem() {
      return problem;
    },
    async follow() {
      problem = undefined;
      // From the first event on: of what another assistant did, only the events tell.
      current = { ...emptyAnswer, text: current.text, said: [] };
      let isFirst = true;
      try {
        for await (const { data } of listen()) {
          if (isFirst) current = emptyAnswer;
          isFirst = false;
          waiting.push(data);
          frame ??= requestAnimationFrame(draw);
        }
        draw();
      } catch (error) {
        draw();
        problem = error;
      }
    },
    async load() {
      problem = undefined;
      try {
        await read();
        if (!isOver(current)) await this.follow();
      } catch (error) {
        if (!leaving.signal.aborted) problem = error;
      }
    },
    async complete() {
      if (!isTextOnly) return;
      isTextOnly = false;
      const { signal } = leaving;
      for (let pauseMs = 1000; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        try {
          await read();
          return;
        } catch (error) {
          // What the server refuses it will refuse again; the network comes back.
          if (error instanceof ApiError && error.status < 500) return;
        }
        await pause(pauseMs, signal);
      }
    },
    leave() {
      leaving.abort();
      if (frame !== undefined) cancelAnimationFrame(frame);
    },
  };
}
