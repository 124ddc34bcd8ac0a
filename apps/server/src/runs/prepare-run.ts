import type { Principal } from '@lamb/contract';
import type { RunBudget } from '@lamb/engine';
import type { OwnedRun, PreparedRun } from '@lamb/runs';
import { getAssistantAccess } from '@lamb/store';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { readStanding } from '../auth/read-standing.ts';
import { createTurnPorts } from '../completions/create-turn-ports.ts';
import { loadDraft } from '../completions/load-draft.ts';
import { openTurn, type LoadedTurn } from '../completions/load-turn.ts';
import { createAssistantDoor } from '../host/run-assistant.ts';
import type { Services } from '../services.ts';
import { traceTexts } from '../completions/trace-texts.ts';
import { observeRun } from './observe-run.ts';
import { RunInput } from './run-input.ts';

/** Makes a stored run executable: with the assistant as it was when the run began, and the rights, grants and keys of today. */
export async function prepareRun(services: Services, stored: OwnedRun, signal: AbortSignal): Promise<PreparedRun> {
  const input = RunInput.parse(stored.input);
  const { assistant, isDraft } = input;
  const principal = await readStanding(services.db, input.principal);
  const loaded = isDraft
    ? await loadDraft(services, principal, assistant)
    : await openTurn(services, principal, async (tx) => {
        const access = await getAssistantAccess(tx, stored.assistantId, principal.userId);
        authorizeAssistant(principal, 'assistant.use', access);
        return { ...access.assistant, ...assistant };
      });
  return prepareLoadedRun(services, stored, { input, principal, loaded }, signal);
}

/** Makes a run executable whose assistant was just loaded. */
export function prepareLoadedRun(
  services: Services,
  stored: OwnedRun,
  { input, principal, loaded }: { input: RunInput; principal: Principal; loaded: LoadedTurn },
  signal: AbortSignal,
): PreparedRun {
  const { request, keepsTexts } = input;
  const run = { principal, runId: stored.id, assistantId: stored.assistantId, model: loaded.model };
  const plain = createTurnPorts(services, loaded, run, signal, createAssistantDoor(services));
  const ports = keepsTexts ? traceTexts(plain, run, services) : plain;
  const plan = keepsTexts ? { ...loaded.plan, verbose: true } : loaded.plan;
  const booked = () => services.usageRecorder.flush();
  const budget = settleDurably(ports.budget, booked);
  return { plan, request, ports: { ...ports, budget }, ...observeRun(run, services), booked };
}

/** An answer is in the ledger before anybody is told that it is complete: afterwards, nobody would book it any more. */
function settleDurably(budget: RunBudget, booked: () => Promise<void>): RunBudget {
  return {
    ...budget,
    async settle(reservation, end) {
      await budget.settle(reservation, end);
      await booked();
    },
  };
}
