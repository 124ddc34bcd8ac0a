import type { Principal, Usage } from '@lamb/contract';
import type { OpenModel } from '@lamb/engine';
import type { Services } from '../services.ts';

/** Whom a run is booked on. */
export interface RunContext {
  readonly principal: Principal;
  readonly runId: string;
  readonly assistantId: number;
  readonly model: OpenModel;
}

/** Books the tokens of one model call. */
export function bookUsage(
  { principal, runId, assistantId, model }: RunContext,
  usage: Usage,
  outcome: 'finished' | 'failed' | 'cancelled',
  milliseconds: number,
  { metrics, usageRecorder }: Services,
): void {
  const connector = model.connector.name;
  metrics.tokens.inc({ connector, direction: 'prompt' }, usage.prompt_tokens);
  metrics.tokens.inc({ connector, direction: 'completion' }, usage.completion_tokens);
  usageRecorder.record({
    organizationId: principal.organizationId,
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
    costMicros: 0,
    createdAt: new Date(),
  });
}
