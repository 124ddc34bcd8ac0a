/** Keeps the retries of one target within a share of its calls, so that trouble is not multiplied. */
export interface RetryBudget {
  countCall(): void;
  /** Whether one more retry is within the budget; if so, it is spent. */
  spendRetry(): boolean;
}

const SHARE = 0.2;
/** What a target with few calls may have: a share of one call is none. */
const FREE_RETRIES = 2;
const WINDOW_MS = 60_000;
const SLICE_MS = 5_000;

/** Makes a budget over the last minute. */
export function createRetryBudget(now: () => number): RetryBudget {
  const slices: { readonly begin: number; calls: number; retries: number }[] = [];

  const currentSlice = () => {
    const time = now();
    while (slices[0] !== undefined && slices[0].begin <= time - WINDOW_MS) slices.shift();
    const last = slices.at(-1);
    if (last !== undefined && time < last.begin + SLICE_MS) return last;
    const slice = { begin: time, calls: 0, retries: 0 };
    slices.push(slice);
    return slice;
  };

  return {
    countCall() {
      currentSlice().calls += 1;
    },
    spendRetry() {
      const slice = currentSlice();
      const calls = slices.reduce((sum, each) => sum + each.calls, 0);
      const retries = slices.reduce((sum, each) => sum + each.retries, 0);
      if (retries + 1 > Math.max(FREE_RETRIES, calls * SHARE)) return false;
      slice.retries += 1;
      return true;
    },
  };
}
