import { estimateUsage, type CallEstimate, type Reservation } from '@lamb/engine';
import { reserveBudget, withTenant, type BudgetRefusal, type ModelPrice } from '@lamb/store';
import type { BookedRun } from '../completions/book-usage.ts';
import type { Services } from '../services.ts';
import { computeCost } from './compute-cost.ts';
import { toBudgetError } from './to-budget-error.ts';

/** What an answer may have where caps hold and nobody set a limit: enough for a long one, and the model is told. */
const USUAL_COMPLETION_TOKENS = 4096;
/** When no more is left: less than this would be no answer. */
const LEAST_COMPLETION_TOKENS = 256;
/** More than any model says; keeps sums within what the database can count. */
const MOST_COMPLETION_TOKENS = 10_000_000;
/** Longer than a model call takes. What is settled later still counts. */
const HOLD_MS = 15 * 60_000;

/**
 * Sets budget aside for one model call, or throws `budget_exceeded`. Where caps hold, the reservation says what the model
 * may use: where nobody set a limit and not much is left, that is the rest.
 */
export async function reserveCall(
  { principal, runId, model }: BookedRun,
  { promptChars, maxCompletionTokens, images }: CallEstimate & { readonly images?: number },
  step: string,
  { db, budgets }: Pick<Services, 'db' | 'budgets'>,
): Promise<Reservation> {
  const { organizationId, userId } = principal;
  const policy = await budgets.findPolicy(organizationId);
  const startedAt = performance.now();
  if (!policy.capped) return { id: undefined, startedAt };
  const prompt = estimateUsage(promptChars, 0).prompt_tokens;
  const price = policy.findPrice(model.connector.name, model.model);
  const now = budgets.now();
  let completion = Math.min(maxCompletionTokens ?? USUAL_COMPLETION_TOKENS, MOST_COMPLETION_TOKENS);
  for (;;) {
    const estimate = { tokens: prompt + completion, micros: computeCost(price, prompt, completion, images) };
    const made = await withTenant(db, organizationId, (tx) =>
      reserveBudget(tx, { runId, step, userId, estimate, holdMs: HOLD_MS, now }),
    );
    if (!('refusal' in made)) {
      // What another process had set aside for the same call may have been for a shorter prompt.
      return { id: made.id, startedAt, maxCompletionTokens: Math.max(1, made.reserved.tokens - prompt) };
    }
    const rest = fitIntoRest(made.refusal, prompt, price, images);
    if (maxCompletionTokens !== undefined || rest >= completion || rest < LEAST_COMPLETION_TOKENS) {
      throw toBudgetError(made.refusal, now);
    }
    completion = rest;
  }
}

/** How many tokens of an answer the cap that refused would still allow. */
function fitIntoRest(
  { cap, limit, taken }: BudgetRefusal,
  prompt: number,
  price?: ModelPrice,
  images?: number,
): number {
  const left = limit - taken;
  if (cap === 'organization_tokens' || cap === 'user_tokens') return left - prompt;
  if (!price || price.completionMicros === 0) return 0;
  // Prices are per million tokens, and a sum is rounded up.
  return Math.floor(((left - computeCost(price, prompt, 0, images)) / price.completionMicros) * 1_000_000);
}
