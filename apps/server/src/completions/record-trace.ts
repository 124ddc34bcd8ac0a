import type { RunTrace } from '@lamb/contract';
import { putRunTrace, withTenant } from '@lamb/store';
import type { Services } from '../services.ts';
import type { RunContext } from './book-usage.ts';

/** Keeps the trace of a verbose assistant, without holding up the turn. */
export function recordTrace(trace: RunTrace, { principal, assistantId }: RunContext, { db, log }: Services): void {
  const { userId } = principal;
  withTenant(db, principal.organizationId, (tx) =>
    putRunTrace(tx, { runId: trace.run_id, step: 'context', assistantId, userId, trace }),
  ).catch((error: unknown) => {
    log.error({ err: error, runId: trace.run_id }, 'trace could not be recorded');
  });
}
