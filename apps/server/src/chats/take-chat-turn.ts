import { AppError, ChatMessage, type Principal, type Sampling } from '@lamb/contract';
import type { OwnedRun } from '@lamb/runs';
import { getAssistantAccess, type AssistantAccess, type Chat, type StoredChatMessage } from '@lamb/store';
import { decide } from '../access/decide.ts';
import { loadTurn } from '../completions/load-turn.ts';
import { toTurnRequest } from '../completions/to-turn-request.ts';
import { startRun } from '../runs/start-run.ts';
import type { Services } from '../services.ts';

interface ChatTurn {
  readonly chat: Chat;
  /** What is part of the chat, oldest first. */
  readonly history: readonly StoredChatMessage[];
  readonly said: ChatMessage;
  /** The question whose place it takes, with all that followed. */
  readonly replaces?: number | undefined;
  readonly sampling: Sampling;
}

/** Says something in a chat and starts the run that answers it. */
export async function takeChatTurn(services: Services, principal: Principal, turn: ChatTurn): Promise<OwnedRun> {
  const { chat, said, replaces, sampling } = turn;
  const earlier = replaces === undefined ? turn.history : turn.history.filter(({ id }) => id < replaces);
  let access: AssistantAccess | undefined;
  const loaded = await loadTurn(services, principal, async (tx) => {
    access = await getAssistantAccess(tx, chat.assistantId, principal.userId);
    return access;
  });
  const messages = [...earlier.map(({ message }) => ChatMessage.parse(message)), said];
  return await startRun(services, principal, loaded, toTurnRequest({ ...sampling, messages }), {
    turn: { chatId: chat.id, said, ...(replaces === undefined ? {} : { replacesFrom: replaces }) },
    // Who may look into the assistant sees how its answers to them came about.
    keepsTexts: access !== undefined && decide(principal, 'trace.read', { id: access.assistant.id, ...access }),
  });
}

/** The last question of a chat, or the one that is named. */
export function findQuestion(history: readonly StoredChatMessage[], id?: number): { id: number; said: ChatMessage } {
  const found = history
    .map((entry) => ({ id: entry.id, said: ChatMessage.parse(entry.message) }))
    .findLast((entry) => entry.said.role === 'user' && (id === undefined || entry.id === id));
  if (found) return found;
  throw new AppError('invalid_request', {
    message: id === undefined ? 'Nothing was asked in this chat yet.' : 'There is no such question in this chat.',
    details: id === undefined ? {} : { param: 'replaces' },
  });
}
