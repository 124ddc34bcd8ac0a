import { TurnDeadlinePassed } from '@lamb/engine';

/** A deadline that does not run while a person is being waited for. */
export interface Deadline {
  pause(): void;
  resume(): void;
  clear(): void;
}

/** Starts a deadline that ends a turn when it passes. */
export function createDeadline(milliseconds: number, controller: AbortController): Deadline {
  let timer: NodeJS.Timeout | undefined;
  let left = milliseconds;
  let since = 0;
  const resume = () => {
    since = performance.now();
    timer = setTimeout(() => {
      controller.abort(new TurnDeadlinePassed());
    }, left);
  };
  resume();
  return {
    pause() {
      clearTimeout(timer);
      left -= performance.now() - since;
    },
    resume,
    clear() {
      clearTimeout(timer);
    },
  };
}
