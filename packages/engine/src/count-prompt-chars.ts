import { messageText, type ChatMessage, type ToolCall } from '@lamb/contract';
import type { FunctionSpec } from '@lamb/plugin-kit';

/** What a large image is counted as, in letters: about 1,200 tokens. */
const IMAGE_CHARS = 4800;

/** How long a prompt is, with all that a provider reads of it: what was said, calls, images, and the functions on offer. */
export function countPromptChars(messages: readonly ChatMessage[], tools: readonly FunctionSpec[] = []): number {
  const said = messages.reduce(
    (sum, message) =>
      sum + messageText(message).length + countImages(message) * IMAGE_CHARS + countCallChars(message.tool_calls ?? []),
    0,
  );
  return tools.length === 0 ? said : said + JSON.stringify(tools).length;
}

export function countCallChars(calls: readonly ToolCall[]): number {
  return calls.reduce((sum, { function: { name, arguments: text } }) => sum + name.length + text.length, 0);
}

function countImages({ content }: ChatMessage): number {
  return Array.isArray(content) ? content.filter(({ type }) => type === 'image_url').length : 0;
}
