import { recordUsage, reserveBudget, settleBudget, withTenant, type TenantTx, type UsageEntry } from '@lamb/store';
import { createHash } from 'node:crypto';
import { computeCost } from '../budget/compute-cost.ts';
import { toBudgetError } from '../budget/to-budget-error.ts';
import type { Services } from '../services.ts';

/** What vectors are made for, and on whom they are booked. */
export interface EmbeddingPurpose {
  readonly organizationId: string;
  readonly userId: string;
  /** The draft of a document, or a search. */
  readonly runId: string;
  /** Names the request within it: repeated under the same name, it is set aside and booked once. */
  readonly step: string;
  readonly provider: string;
  readonly model: string;
}

/** Budget that was set aside for one request. */
export interface EmbeddingReservation {
  /** Counts what was used, in the transaction in which what it was used for is kept. */
  book(tx: TenantTx, tokens: number, isEstimated: boolean): Promise<void>;
  /** Gives it back: nothing was used. */
  release(): Promise<void>;
}

const HOLD_MS = 15 * 60_000;

/** Sets budget aside for the vectors of so many tokens, or throws `budget_exceeded`. Tokens of vectors are prompt tokens. */
export async function reserveEmbedding(
  { organizationId, userId, runId, step, provider, model }: EmbeddingPurpose,
  tokens: number,
  { db, budgets }: Pick<Services, 'db' | 'budgets'>,
): Promise<EmbeddingReservation> {
  const policy = await budgets.findPolicy(organizationId);
  const price = policy.findPrice(provider, model);
  const startedAt = performance.now();
  let id: string | undefined;
  if (policy.capped) {
    const now = budgets.now();
    const estimate = { tokens, micros: computeCost(price, tokens, 0) };
    const made = await withTenant(db, organizationId, (tx) =>
      reserveBudget(tx, { runId, step, userId, estimate, holdMs: HOLD_MS, now }),
    );
    if ('refusal' in made) throw toBudgetError(made.refusal, now);
    id = made.id;
  }
  return {
    async book(tx, used, estimated) {
      const costMicros = computeCost(price, used, 0);
      if (id !== undefined && !(await settleBudget(tx, id, { tokens: used, micros: costMicros }))) return;
      const entry: UsageEntry = {
        id: toUuid(`${runId}:${step}`),
        runId,
        userId,
        assistantId: null,
        connector: provider,
        model,
        promptTokens: used,
        completionTokens: 0,
        totalTokens: used,
        estimated,
        outcome: 'finished',
        durationMs: Math.round(performance.now() - startedAt),
        costMicros,
        createdAt: budgets.now(),
      };
      await recordUsage(tx, entry);
    },
    async release() {
      const reserved = id;
      if (reserved === undefined) return;
      await withTenant(db, organizationId, (tx) => settleBudget(tx, reserved, { tokens: 0, micros: 0 }));
    },
  };
}

/** The same name gives the same id. */
function toUuid(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
