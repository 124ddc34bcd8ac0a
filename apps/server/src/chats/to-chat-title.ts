import { messageText, type ChatMessage } from '@lamb/contract';

const TITLE_CHARS = 80;

/** A question as the title of the chat that it begins: its first words. Empty when it has none. */
export function toChatTitle(question: Pick<ChatMessage, 'content'>): string {
  const text = messageText(question).replaceAll(/\s+/g, ' ').replaceAll('\0', '').trim();
  if (text.length <= TITLE_CHARS) return text.toWellFormed();
  const cut = text.slice(0, TITLE_CHARS);
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > TITLE_CHARS / 2 ? cut.slice(0, lastSpace) : cut).toWellFormed()}…`;
}
