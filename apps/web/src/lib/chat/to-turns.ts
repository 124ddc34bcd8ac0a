import { createLiveAnswer, type LiveAnswer } from './live-answer.svelte.ts';
import { emptyAnswer } from './answer.ts';
import type { Turn } from './turn.ts';

interface KeptMessage {
  readonly id: number;
  readonly message: { readonly role: string; readonly content?: unknown };
  readonly run_id: string | null;
  readonly run_status: 'running' | 'waiting' | 'finished' | 'failed' | 'cancelled' | null;
}

/** The turns of a kept chat: each question with the run that answered it. What is drawn already stays as it is. */
export function toTurns(messages: readonly KeptMessage[], drawn: readonly Turn[]): Turn[] {
  const known = new Map(drawn.flatMap(({ key, live }) => (live ? [[live.runId, { key, live }] as const] : [])));
  const answers = new Map(
    messages.flatMap(({ message, run_id: runId }) =>
      message.role === 'assistant' && runId !== null ? [[runId, readText(message.content)] as const] : [],
    ),
  );
  return messages
    .filter(({ message }) => message.role === 'user')
    .map(({ id, message, run_id: runId, run_status: status }) => ({
      key: (runId === null ? undefined : known.get(runId)?.key) ?? runId ?? String(id),
      question: readText(message.content),
      pictures: readPictures(message.content),
      messageId: id,
      live: runId === null ? undefined : (known.get(runId)?.live ?? open(runId, status, answers.get(runId))),
    }));
}

/** An answer that is complete is shown at once; its sources and tools are read when it comes into sight. */
function open(runId: string, status: KeptMessage['run_status'], text: string | undefined): LiveAnswer {
  const isOpen = status === 'running' || status === 'waiting' || status === null;
  const live = createLiveAnswer(runId, {
    ...emptyAnswer,
    status: isOpen ? 'running' : status,
    text: text ?? '',
  });
  if (isOpen) void live.follow();
  else if (text === undefined) void live.load();
  return live;
}

/** The text of a message, without its images. */
export function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as { type?: string; text?: string }[])
    .flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
    .join(' ');
}

/** The addresses of the pictures of a message. */
export function readPictures(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return (content as { type?: string; image_url?: { url: string } }[]).flatMap(({ type, image_url: image }) =>
    type === 'image_url' && image ? [image.url] : [],
  );
}
