import type { RunBudget } from '@lamb/engine';
import { bookUsage, type RunContext } from '../completions/book-usage.ts';
import type { Services } from '../services.ts';
import { reserveCall } from './reserve-call.ts';

/** The budget that a run's calls of one model are paid from: that of who is asking, and of their organisation. */
export function createRunBudget(run: RunContext, services: Services): RunBudget {
  return {
    reserve: (estimate, step) => reserveCall(run, estimate, step, services),
    settle: (reservation, end) => bookUsage(run, reservation, end, services),
  };
}
