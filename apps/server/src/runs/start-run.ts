import { AppError, type ChatMessage, type Principal } from '@lamb/contract';
import type { TurnRequest } from '@lamb/engine';
import type { OwnedRun } from '@lamb/runs';
import type { LoadedTurn } from '../completions/load-turn.ts';
import { UNSAVED } from '../completions/load-draft.ts';
import type { Services } from '../services.ts';
import { prepareLoadedRun } from './prepare-run.ts';
import type { RunInput } from './run-input.ts';

/** The turn of a chat that a run answers. */
interface ChatTurn {
  readonly chatId: string;
  readonly said: ChatMessage;
  /** The first of the chat's messages whose place it takes. */
  readonly replacesFrom?: number;
}

/** What else is to be known of a run. */
interface RunOptions {
  readonly turn?: ChatTurn;
  /** Of a draft: the assistant that is being changed, if it is one that is saved. */
  readonly draftOf?: number;
  readonly keepsTexts?: boolean;
  readonly replayOf?: string;
}

/** Starts a turn that is finished whatever happens to this process or to the client. */
export async function startRun(
  services: Services,
  principal: Principal,
  loaded: LoadedTurn,
  request: TurnRequest,
  { turn, draftOf, keepsTexts = false, replayOf }: RunOptions = {},
): Promise<OwnedRun> {
  const { runs } = services;
  if (!runs) throw new AppError('service_unavailable', { message: 'Durable runs are not started in this process.' });
  const { systemPrompt, promptTemplate, metadata, id } = loaded.assistant;
  const input: RunInput = {
    principal: { ...principal, assistants: principal.assistants === 'all' ? 'all' : [...principal.assistants] },
    assistant: { systemPrompt, promptTemplate, metadata },
    isDraft: id === UNSAVED,
    keepsTexts,
    ...(replayOf === undefined ? {} : { replayOf }),
    request: { messages: [...request.messages], sampling: request.sampling },
  };
  const { organizationId, userId } = principal;
  return await runs.start({
    organizationId,
    userId,
    assistantId: draftOf ?? id,
    input,
    ...turn,
    prepare: (run, signal) => prepareLoadedRun(services, run, { input, principal, loaded }, signal),
  });
}
