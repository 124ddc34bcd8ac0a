import { AppError, type Principal } from '@lamb/contract';
import {
  findRunUnderWay,
  listChatMessages,
  summarizeRunEvents,
  type Chat,
  type Db,
  type StoredChatMessage,
} from '@lamb/store';
import { setTimeout as wait } from 'node:timers/promises';
import { withChat } from './with-chat.ts';

interface QuietChat {
  readonly chat: Chat;
  /** What is part of the chat, oldest first. */
  readonly history: readonly StoredChatMessage[];
}

const LOOK_AGAIN_MS = 20;
/** Between the last word of an answer and its place in the chat lie milliseconds, unless its process dies there. */
const SETTLED_WITHIN_MS = 3000;

/**
 * A chat in which the principal may say something, with all that was said. `answer_under_way` while an answer is being
 * given; one that was stopped, or has said its last word, is waited for, since its reader need not know what is still to do.
 */
export async function readQuietChat(db: Db, principal: Principal, id: string): Promise<QuietChat> {
  const giveUpAt = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const { isEnding, ...read } = await withChat(db, principal, id, 'chat.edit', async (tx, chat) => {
      // Looked for before the messages are: what ends meanwhile is among them.
      const run = await findRunUnderWay(tx, chat.id);
      const isOver = run && (run.status === 'cancelled' || (await summarizeRunEvents(tx, run)).hasEnded);
      if (isOver === false) throw new AppError('answer_under_way');
      return { isEnding: isOver === true, chat, history: await listChatMessages(tx, chat.id) };
    });
    if (!isEnding) return read;
    if (performance.now() > giveUpAt) throw new AppError('answer_under_way');
    await wait(LOOK_AGAIN_MS);
  }
}
