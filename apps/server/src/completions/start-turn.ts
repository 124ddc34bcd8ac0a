import type { Principal, RunEvent } from '@lamb/contract';
import { runTurn, type TurnRequest } from '@lamb/engine';
import type { AssistantAccess, TenantTx } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import type { Services } from '../services.ts';
import { createTurnPorts } from './create-turn-ports.ts';
import { loadTurn } from './load-turn.ts';
import { recordRun } from './record-run.ts';

interface Turn {
  readonly assistantId: number;
  readonly events: AsyncIterable<RunEvent>;
}

/** Starts one turn in this process and gives its events. What is wrong before the turn begins is thrown. */
export async function startTurn(
  services: Services,
  principal: Principal,
  find: (tx: TenantTx) => Promise<AssistantAccess | undefined>,
  request: TurnRequest,
  signal: AbortSignal,
): Promise<Turn> {
  const loaded = await loadTurn(services, principal, find);
  const { assistant, plan, model } = loaded;
  const run = { principal, runId: randomUUID(), assistantId: assistant.id, model };
  const events = runTurn(plan, request, createTurnPorts(services, loaded, run, signal));
  return { assistantId: assistant.id, events: recordRun(events, run, services) };
}
