import type { Principal, Usage } from '@lamb/contract';
import type { OpenModel } from '@lamb/engine';
import { recordUsage, withTenant } from '@lamb/store';
import type { Services } from '../services.ts';

/** Whom a run is booked on. */
export interface RunContext {
  readonly principal: Principal;
  readonly runId: string;
  readonly assistantId: number;
  readonly model: OpenModel;
}

/** Books the tokens of one model call. */
export async function writeUsage(
  { principal, runId, assistantId, model }: RunContext,
  usage: Usage,
  outcome: 'finished' | 'failed' | 'cancelled',
  milliseconds: number,
  { db, log, metrics }: Services,
): Promise<void> {
  const connector = model.connector.name;
  metrics.tokens.inc({ connector, direction: 'prompt' }, usage.prompt_tokens);
  metrics.tokens.inc({ connector, direction: 'completion' }, usage.completion_tokens);
  try {
    await withTenant(db, principal.organizationId, (tx) =>
      recordUsage(tx, {
        runId,
        userId: principal.userId,
        assistantId,
        connector,
        model: model.model,
        promptTokens: usage.prompt_tokens,
        completionTokens: usage.completion_tokens,
        totalTokens: usage.total_tokens,
        estimated: usage.estimated,
        outcome,
        durationMs: Math.round(milliseconds),
      }),
    );
  } catch (error) {
    // The person has their answer; that it could not be booked is for the operator.
    log.error({ err: error, runId }, 'usage could not be recorded');
  }
}
