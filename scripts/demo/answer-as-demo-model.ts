import type { LlmReply, RecordedRequest } from '@lamb/testing';

interface ChatBody {
  readonly messages?: readonly { role: string; content: unknown }[];
}

/**
 * The demo's model. There is no language model behind it: it tells what it was sent, so that a newcomer sees which
 * tool filled which part of the prompt. Point an organisation at a real provider to get real answers.
 */
export function answerAsDemoModel({ path, body }: RecordedRequest): LlmReply | undefined {
  if (!path.endsWith('/chat/completions')) return undefined;
  const messages = (body as ChatBody).messages ?? [];
  const prompt = textOf(messages.at(-1)?.content);
  const system = messages.find(({ role }) => role === 'system');
  // Passages that are to be cited are numbered.
  const passage = /^\[1\] (?<text>.+)$/m.exec(prompt)?.groups?.['text'];
  const lines = [
    'I am the demo model, so I only tell you what I was sent.',
    system ? `My instructions: “${shorten(textOf(system.content), 90)}”` : 'I have no instructions.',
    `The prompt has ${String(prompt.length)} characters and begins: “${shorten(prompt, 200)}”`,
    ...(passage === undefined ? [] : [`The first passage that was found for me says: “${shorten(passage, 160)}” [1]`]),
    'Add a real provider to the organisation’s configuration, and this becomes a real answer.',
  ];
  return { text: lines.join('\n\n'), intervalMs: 15 };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : ''))
    .join(' ');
}

function shorten(text: string, length: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= length ? flat : `${flat.slice(0, length)}…`;
}
