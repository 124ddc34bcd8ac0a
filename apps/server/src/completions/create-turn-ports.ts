import type { TurnPorts } from '@lamb/engine';
import { getAssistantAccess, withTenant } from '@lamb/store';
import { decide } from '../access/decide.ts';
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
  const smallModel = resolveSmallModel(setup, catalogue);
  return {
    runId,
    endUser: principal.endUser,
    openHost: (scope) => createToolHost(services, { assistant, setup, run, scope, askAssistant }),
    model,
    budget: createRunBudget(run, services),
    askSmallModel: smallModel && createModelAsker(smallModel, run, services),
    countTokens: tokenCounter.count,
    recordTrace: (trace) => {
      recordTrace(trace, run, services);
    },
    reportError: (error, where) => {
      log.error({ err: error, runId, where }, 'unexpected error in a turn');
    },
    async authorizeCall() {
      // Asked again for every call: a share may have been taken back while the run was under way.
      if (assistant.id === UNSAVED) return undefined;
      const access = await withTenant(db, principal.organizationId, (tx) =>
        getAssistantAccess(tx, assistant.id, principal.userId),
      );
      const allowed = access && decide(principal, 'assistant.use', { id: access.assistant.id, ...access });
      return allowed ? undefined : 'The person may no longer use this assistant.';
    },
    reportRefusal: (call, reason) => auditRefusedCall(services, run, call, reason),
    approve: undefined,
    now: Date.now,
    signal,
  };
}
