import type { TurnPorts } from '@lamb/engine';
import { getAssistantAccess, withTenant } from '@lamb/store';
import { decide } from '../access/decide.ts';
import { createStanding } from '../auth/create-standing.ts';
import { createRunBudget } from '../budget/create-run-budget.ts';
import { createToolHost } from '../host/create-tool-host.ts';
import type { AskAssistant } from '../host/host-context.ts';
import type { Services } from '../services.ts';
import { auditRefusedCall } from './audit-refused-call.ts';
import type { RunContext } from './book-usage.ts';
import { createModelAsker } from './create-model-asker.ts';
import { UNSAVED } from './load-draft.ts';
import type { LoadedTurn } from './load-turn.ts';
import { recordTrace } from './record-trace.ts';
import { resolveSmallModel } from './resolve-model.ts';

/** What the engine needs from outside for one turn, bound to who is asking and to the assistant's owner. */
export function createTurnPorts(
  services: Services,
  { assistant, setup, model }: LoadedTurn,
  run: RunContext,
  signal: AbortSignal,
  askAssistant: AskAssistant,
): TurnPorts {
  const { catalogue, db, tokenCounter, log } = services;
  const { principal, runId } = run;
  const standing = createStanding(db, principal);
  const budget = createRunBudget(run, services);
  const smallModel = resolveSmallModel(setup, catalogue);
  return {
    runId,
    endUser: principal.endUser,
    openHost: (scope) => createToolHost(services, { assistant, setup, run, scope, askAssistant }),
    model,
    budget: {
      ...budget,
      async reserve(estimate, step) {
        await standing.check();
        return await budget.reserve(estimate, step);
      },
    },
    askSmallModel: smallModel && createModelAsker(smallModel, run, services),
    countTokens: tokenCounter.count,
    recordTrace: (trace) => {
      recordTrace(trace, run, services);
    },
    reportError: (error, where) => {
      log.error({ err: error, runId, where }, 'unexpected error in a turn');
    },
    async authorizeCall() {
      // Asked again for every call: a share, or more, may have been taken back while the run was under way.
      const allowed = await withTenant(db, principal.organizationId, async (tx) => {
        const now = await standing.read(tx);
        if (assistant.id === UNSAVED) return true;
        const access = await getAssistantAccess(tx, assistant.id, now.userId);
        return access && decide(now, 'assistant.use', { id: access.assistant.id, ...access });
      });
      return allowed ? undefined : 'The person may no longer use this assistant.';
    },
    reportRefusal: (call, reason) => auditRefusedCall(services, run, call, reason),
    approve: undefined,
    now: Date.now,
    signal,
  };
}
