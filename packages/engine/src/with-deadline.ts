import { createAbortRace } from './create-abort-race.ts';

/** The reason with which work is aborted that took too long. */
export class DeadlinePassed extends Error {}

/** Gives `work` a signal that ends with the deadline or with `outer`, and does not wait for work that ignores it. */
export async function withDeadline<Result>(
  milliseconds: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer.throwIfAborted();
  const controller = new AbortController();
  const untilAborted = createAbortRace(controller.signal);
  const onOuterAbort = () => controller.abort(outer.reason);
  outer.addEventListener('abort', onOuterAbort, { once: true });
  const timer = setTimeout(() => controller.abort(new DeadlinePassed()), milliseconds);
  try {
    return await untilAborted(work(controller.signal));
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', onOuterAbort);
  }
}
