import { AppError, readMetadata, type RunEvent } from '@lamb/contract';
import { collectRun, compilePlan, runTurn, type HostScope } from '@lamb/engine';
import { ToolFailure, ToolRefusal } from '@lamb/plugin-kit';
import { getAssistant, recordAudit, withTenant, type Assistant } from '@lamb/store';
import { judgeCallee } from '../assistants/judge-callee.ts';
import { createTurnPorts } from '../completions/create-turn-ports.ts';
import { resolveModel } from '../completions/resolve-model.ts';
import type { Services } from '../services.ts';
import type { AskAssistant, HostContext } from './host-context.ts';

/**
 * Opens the door to other assistants. The one that is asked runs with its own owner's grants, within the time that is left
 * to the call, and on the bill of whoever is asking. What it does is told under the call; what it says is the result.
 */
export function createAssistantDoor(services: Services): AskAssistant {
  return async (context, { assistantId, query }, signal) => {
    signal.throwIfAborted();
    const target = await findTarget(services, context, assistantId);
    const { catalogue } = services;
    const { setup, scope } = context;
    try {
      const { metadata } = readMetadata(target.metadata, target);
      const { plan } = compilePlan({ ...target, metadata }, catalogue);
      const model = resolveModel(plan, setup, catalogue);
      const run = { ...context.run, assistantId: target.id, model };
      const ports = createTurnPorts(services, { assistant: target, setup, plan, model }, run, signal, refuseDeeper);
      const { budget } = ports;
      const request = { messages: [{ role: 'user' as const, content: query }], sampling: {} };
      const events = runTurn(plan, request, {
        ...ports,
        // Its steps are named like those of the run it works for, and must not be taken for them.
        budget: { ...budget, reserve: (estimate, step) => budget.reserve(estimate, `${scope.callId}/${step}`) },
        // There is one trace for a run, and it is the asking assistant's.
        recordTrace: () => undefined,
      });
      const { text, sources } = await collectRun(showUnder(events, scope));
      return { content: text, sources };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      throw new ToolFailure(`Assistant ${String(assistantId)} could not answer: ${error.message}`, { cause: error });
    }
  };
}

/** Who was asked does not ask others: the depth is one. */
const refuseDeeper: AskAssistant = () =>
  Promise.reject(new ToolRefusal('An assistant that was asked by another cannot ask a third one.'));

/** Reads the target and both owners' standing afresh: a share may have been taken back a moment ago. */
async function findTarget(services: Services, context: HostContext, targetId: number): Promise<Assistant> {
  const { db, catalogue } = services;
  const { assistant } = context;
  const verdict = await withTenant(db, assistant.organizationId, async (tx) => {
    const { id, ownerId } = (await getAssistant(tx, assistant.id)) ?? assistant;
    return await judgeCallee(tx, { id, ownerId }, targetId, catalogue);
  });
  if (verdict.allowed) return verdict.target;
  await auditRefusal(services, context, targetId, verdict.reason);
  throw new ToolRefusal(verdict.message);
}

async function auditRefusal(
  { db, log }: Services,
  { assistant, run, scope }: HostContext,
  targetId: number,
  reason: string,
): Promise<void> {
  const details = { assistant_id: assistant.id, run_id: run.runId, call_id: scope.callId, reason };
  try {
    await withTenant(db, assistant.organizationId, (tx) =>
      recordAudit(tx, {
        actorId: run.principal.userId,
        action: 'assistant.call_refused',
        subject: `assistant:${String(targetId)}`,
        details,
      }),
    );
  } catch (error) {
    log.error({ err: error, ...details }, 'a refused call could not be recorded');
  }
}

/** Passes the events on and tells those that show what is being done, under the call it is done for. */
async function* showUnder(events: AsyncIterable<RunEvent>, { callId, emit }: HostScope): AsyncGenerator<RunEvent> {
  for await (const event of events) {
    if (event.type === 'status' || event.type === 'tool.started' || event.type === 'tool.finished') {
      const { run_id: _run, seq: _seq, time: _time, step: _step, attempt: _attempt, ...body } = event;
      emit({ ...body, parent_call_id: callId });
    }
    yield event;
  }
}
