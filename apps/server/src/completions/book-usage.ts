import type { Principal } from '@lamb/contract';
import type { ModelCallEnd, OpenModel, Reservation } from '@lamb/engine';
import {
  countSpend,
  recordUsage,
  retryWhileDatabaseIsGone,
  settleBudget,
  withTenant,
  type OrganizationUsage,
} from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { computeCost } from '../budget/compute-cost.ts';
import type { Services } from '../services.ts';
import { UNSAVED } from './load-draft.ts';

/** Whom model calls are booked on, and for which assistant, if for any. */
export interface BookedRun {
  readonly principal: Principal;
  readonly runId: string;
  readonly assistantId: number | null;
  readonly model: OpenModel;
}

/** Whom a run is booked on. */
export interface RunContext extends BookedRun {
  readonly principal: Principal;
  readonly runId: string;
  readonly assistantId: number;
  readonly model: OpenModel;
}

/** The answer is out by then; only its end waits. */
const PATIENCE_MS = 20_000;

/** Books one model call in the ledger, and in the budget that was set aside for it. Never throws: the answer does not depend on it. */
export async function bookUsage(
  run: BookedRun,
  reservation: Reservation,
  end: ModelCallEnd & { readonly images?: number },
  { db, budgets, metrics, usageRecorder, log }: Services,
): Promise<void> {
  const { principal, model } = run;
  const { prompt_tokens: prompt, completion_tokens: completion } = end.usage;
  const connector = model.connector.name;
  metrics.tokens.inc({ connector, direction: 'prompt' }, prompt);
  metrics.tokens.inc({ connector, direction: 'completion' }, completion);
  const entry = toEntry(run, reservation, end, budgets.now());
  const book = async (): Promise<void> => {
    const policy = await budgets.findPolicy(principal.organizationId);
    entry.costMicros = computeCost(policy.findPrice(connector, model.model), prompt, completion, end.images);
    const { id } = reservation;
    if (id === undefined) {
      usageRecorder.record(entry);
      return;
    }
    await withTenant(db, principal.organizationId, async (tx) => {
      const used = { tokens: entry.totalTokens, micros: entry.costMicros };
      // Not for the first time: the answer of the database was lost, and it had been done.
      if (!(await recordUsage(tx, entry))) return;
      // Who took over the run has taken over what was set aside for it, too.
      if (!(await settleBudget(tx, id, used))) await countSpend(tx, principal.userId, used, budgets.now());
    });
  };
  try {
    await retryWhileDatabaseIsGone(book, { patienceMs: PATIENCE_MS });
  } catch (error) {
    log.error({ err: error, entries: [entry] }, 'usage could not be recorded');
  }
}

function toEntry(
  { principal, runId, assistantId, model }: BookedRun,
  { startedAt }: Reservation,
  { usage, outcome, images = 0 }: ModelCallEnd & { readonly images?: number },
  createdAt: Date,
): OrganizationUsage {
  return {
    id: randomUUID(),
    organizationId: principal.organizationId,
    runId,
    userId: principal.userId,
    assistantId: assistantId === UNSAVED ? null : assistantId,
    connector: model.connector.name,
    model: model.model,
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    totalTokens: usage.total_tokens,
    images,
    estimated: usage.estimated,
    outcome,
    durationMs: Math.round(performance.now() - startedAt),
    costMicros: 0,
    createdAt,
  };
}
