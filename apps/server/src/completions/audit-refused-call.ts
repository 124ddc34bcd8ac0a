import type { ToolCall } from '@lamb/contract';
import { recordAudit, withTenant } from '@lamb/store';
import type { Services } from '../services.ts';
import type { RunContext } from './book-usage.ts';

const MAX_NAME_CHARS = 100;

/** Writes down that a model asked for what it may not have. The call is refused whether or not this can be written. */
export async function auditRefusedCall(
  { db, log }: Services,
  { principal, runId, assistantId }: RunContext,
  call: ToolCall,
  reason: string,
): Promise<void> {
  const details = { run_id: runId, call_id: call.id, name: call.function.name.slice(0, MAX_NAME_CHARS), reason };
  try {
    await withTenant(db, principal.organizationId, (tx) =>
      recordAudit(tx, {
        actorId: principal.userId,
        action: 'assistant.call_refused',
        subject: `assistant:${String(assistantId)}`,
        details,
      }),
    );
  } catch (error) {
    log.error({ err: error, ...details }, 'a refused call could not be recorded');
  }
}
