import { setTimeout as wait } from 'node:timers/promises';
import type { World } from './open-world.ts';
import { askFor } from './script-run.ts';

/** A run whose start was answered. */
export interface StartedRun {
  readonly number: number;
  readonly runId: string;
  readonly chatId: string | undefined;
  /** The server that answered. */
  readonly server: number;
}

const ANSWER_WITHIN_MS = 20_000;
const TRY_AGAIN_MS = 250;

/** Starts the run of a number on either server, every fourth in a chat, and tries again until it is answered. */
export async function startNumberedRun(
  world: World,
  number: number,
  random: () => number,
  signal: AbortSignal,
): Promise<StartedRun | undefined> {
  let chatId: string | undefined;
  while (!signal.aborted) {
    const server = random() < 0.5 ? 0 : 1;
    const post = (path: string, body: unknown) => postTo(world, server, path, body, signal);
    if (number % 4 === 0 && chatId === undefined) {
      chatId = await post('/lamb/v1/chats', { assistant_id: world.assistantId });
    } else {
      const runId =
        chatId === undefined
          ? await post('/v1/chat/completions', {
              model: `lamb_assistant.${world.assistantId}`,
              messages: [{ role: 'user', content: askFor(number) }],
              lamb: { background: true },
            })
          : await post(`/lamb/v1/chats/${chatId}/turns`, { content: askFor(number) });
      if (runId !== undefined) return { number, runId, chatId, server };
      await wait(TRY_AGAIN_MS * (0.5 + random()));
    }
  }
  return undefined;
}

/** The id of what was made; undefined when there was no answer that says so. */
async function postTo(
  world: World,
  server: number,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = world.servers[server]?.url;
  if (url === undefined) {
    await wait(TRY_AGAIN_MS);
    return undefined;
  }
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    });
    if (response.status >= 500 && response.status !== 503) world.crashes.push(`POST ${path}: ${response.status}`);
    const { id } = (await response.json()) as { id?: string };
    return response.ok ? id : undefined;
  } catch {
    return undefined;
  }
}
