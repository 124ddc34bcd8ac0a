import type { Principal, RunEvent } from '@lamb/contract';
import { runTurn, type TurnRequest } from '@lamb/engine';
import { randomUUID } from 'node:crypto';
import { createAssistantDoor } from '../host/run-assistant.ts';
import { observeRun } from '../runs/observe-run.ts';
import type { Services } from '../services.ts';
import { createTurnPorts } from './create-turn-ports.ts';
import type { LoadedTurn } from './load-turn.ts';

/** Starts one turn in this process, for the client that waits for it, and gives its events. */
export function startTurn(
  services: Services,
  principal: Principal,
  loaded: LoadedTurn,
  request: TurnRequest,
  signal: AbortSignal,
): AsyncIterable<RunEvent> {
  const run = { principal, runId: randomUUID(), assistantId: loaded.assistant.id, model: loaded.model };
  const ports = createTurnPorts(services, loaded, run, signal, createAssistantDoor(services));
  return runTurn(loaded.plan, request, ports, observeRun(run, services).observe);
}
