import { AppError, type ChatMessage, type Principal } from '@lamb/contract';
import type { TurnRequest } from '@lamb/engine';
import type { OwnedRun } from '@lamb/runs';
import type { LoadedTurn } from '../completions/load-turn.ts';
import type { Services } from '../services.ts';
import { prepareLoadedRun } from './prepare-run.ts';
import type { RunInput } from './run-input.ts';

/** The turn of a chat that a run answers. */
interface ChatTurn {
  readonly chatId: string;
  readonly said: ChatMessage;
}

/** Starts a turn that is finished whatever happens to this process or to the client. */
export async function startRun(
  services: Services,
  principal: Principal,
  loaded: LoadedTurn,
  request: TurnRequest,
  turn?: ChatTurn,
): Promise<OwnedRun> {
  const { runs } = services;
  if (!runs) throw new AppError('service_unavailable', { message: 'Durable runs are not started in this process.' });
  const { systemPrompt, promptTemplate, metadata, id } = loaded.assistant;
  const input: RunInput = {
    principal: { ...principal, assistants: principal.assistants === 'all' ? 'all' : [...principal.assistants] },
    assistant: { systemPrompt, promptTemplate, metadata },
    request: { messages: [...request.messages], sampling: request.sampling },
  };
  const { organizationId, userId } = principal;
  return await runs.start({
    organizationId,
    userId,
    assistantId: id,
    input,
    ...turn,
    prepare: (run, signal) => prepareLoadedRun(services, run, { input, loaded }, signal),
  });
}
