import { estimateUsage, type CallEstimate, type Reservation } from '@lamb/engine';
import { reserveBudget, withTenant } from '@lamb/store';
import type { BookedRun } from '../completions/book-usage.ts';
import type { Services } from '../services.ts';
import { computeCost } from './compute-cost.ts';
import { toBudgetError } from './to-budget-error.ts';

/** What an answer may have where caps hold and nobody set a limit: enough for a long one, and the model is told. */
const USUAL_COMPLETION_TOKENS = 4096;
/** More than any model says; keeps sums within what the database can count. */
const MOST_COMPLETION_TOKENS = 10_000_000;
/** Longer than a model call takes. What is settled later still counts. */
const HOLD_MS = 15 * 60_000;

/** Sets budget aside for one model call, or throws `budget_exceeded`. Where caps hold, the reservation says what the model may use. */
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
  const completion = Math.min(maxCompletionTokens ?? USUAL_COMPLETION_TOKENS, MOST_COMPLETION_TOKENS);
  const price = policy.findPrice(model.connector.name, model.model);
  const estimate = { tokens: prompt + completion, micros: computeCost(price, prompt, completion, images) };
  const now = budgets.now();
  const made = await withTenant(db, organizationId, (tx) =>
    reserveBudget(tx, { runId, step, userId, estimate, holdMs: HOLD_MS, now }),
  );
  if ('refusal' in made) throw toBudgetError(made.refusal, now);
  return { id: made.id, startedAt, maxCompletionTokens: completion };
}
