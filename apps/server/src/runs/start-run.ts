import { AppError, type Principal } from '@lamb/contract';
import type { TurnRequest } from '@lamb/engine';
import type { OwnedRun } from '@lamb/runs';
import type { LoadedTurn } from '../completions/load-turn.ts';
import type { Services } from '../services.ts';
import type { RunInput } from './run-input.ts';

/** Starts a turn that is finished whatever happens to this process or to the client. */
export async function startRun(
  { runs }: Services,
  principal: Principal,
  { assistant }: LoadedTurn,
  request: TurnRequest,
  chatId?: string,
): Promise<OwnedRun> {
  if (!runs) throw new AppError('service_unavailable', { message: 'Durable runs are not started in this process.' });
  const { systemPrompt, promptTemplate, metadata } = assistant;
  const input: RunInput = {
    principal: { ...principal, assistants: principal.assistants === 'all' ? 'all' : [...principal.assistants] },
    assistant: { systemPrompt, promptTemplate, metadata },
    request: { messages: [...request.messages], sampling: request.sampling },
  };
  const { organizationId, userId } = principal;
  return await runs.start({ organizationId, userId, assistantId: assistant.id, chatId, input });
}
