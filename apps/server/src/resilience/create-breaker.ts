import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  handleWhenResult,
  type IBackoff,
  type IBreaker,
  type IHalfOpenAfterBackoffContext,
} from 'cockatiel';
import { TargetPaused } from './target-paused.ts';
import type { Verdict } from './verdict.ts';

const CONSECUTIVE_FAILURES = 5;
/** Half of the last calls failed: opens also when some calls get through in between. */
const RATE = { threshold: 0.5, size: 20, minimumNumberOfCalls: 10 };
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** While one call tries whether the target is back, the others are told to come again a little later. */
const PROBING_PAUSE_MS = 2_000;

export type BreakerState = 'closed' | 'half_open' | 'open';

/** Lets calls through to a target that works, and spares one that does not. */
export interface Breaker {
  readonly state: BreakerState;
  /**
   * Makes one attempt, or throws `TargetPaused`. What the attempt throws says nothing about the target; what it
   * resolves to does. `isProbe`: on this attempt it depends whether the target is taken back.
   */
  attempt<Result extends { readonly verdict: Verdict }>(work: (isProbe: boolean) => Promise<Result>): Promise<Result>;
}

interface BreakerOptions {
  readonly now: () => number;
  readonly onOpened: () => void;
}

/** Makes a breaker, closed. */
export function createBreaker({ now, onOpened }: BreakerOptions): Breaker {
  let resumeAt = 0;
  const pause = ({ attempt }: IHalfOpenAfterBackoffContext): IBackoff<IHalfOpenAfterBackoffContext> => {
    const until = now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
    resumeAt = until;
    return {
      // The library compares with the wall clock; this answers by ours, which a test may own and nobody sets back.
      get duration() {
        return now() < until ? Infinity : -Infinity;
      },
      next: pause,
    };
  };
  const policy = circuitBreaker(
    handleWhenResult((result) => !(result as { readonly verdict: Verdict }).verdict.isTargetWell),
    { breaker: createFailureCounter(), halfOpenAfter: { next: pause } },
  );
  policy.onBreak(onOpened);

  return {
    get state() {
      if (policy.state === CircuitState.Closed) return 'closed';
      return policy.state === CircuitState.HalfOpen ? 'half_open' : 'open';
    },
    async attempt(work) {
      if (policy.state === CircuitState.Closed) return await policy.execute(() => work(false));
      // The library lets the others wait for the probe, however long it hangs.
      if (policy.state === CircuitState.HalfOpen) throw pausedFor(PROBING_PAUSE_MS);
      const left = resumeAt - now();
      if (left > 0) throw pausedFor(left);
      return await policy.execute(() => work(true));
    },
  };
}

function pausedFor(milliseconds: number): TargetPaused {
  return new TargetPaused(Math.ceil(Math.round(milliseconds) / 1000));
}

function createFailureCounter(): IBreaker {
  const inARow = new ConsecutiveBreaker(CONSECUTIVE_FAILURES);
  const rate = new CountBreaker(RATE);
  return {
    state: undefined,
    success(state) {
      inARow.success();
      rate.success(state);
    },
    failure(state) {
      const [tooManyInARow, tooManyOfAll] = [inARow.failure(), rate.failure(state)];
      return tooManyInARow || tooManyOfAll;
    },
  };
}
