import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { messageText, type ChatMessage } from '@lamb/contract';
import { leftOutImage } from '../wire/left-out-image.ts';
import { parseDataUrl } from '../wire/parse-data-url.ts';

/** Whether the model's provider fetches an image at this address by itself. */
export type FetchesImage = (url: string) => boolean;

/** The conversation as AI SDK providers take it. */
export function toAiSdkPrompt(messages: readonly ChatMessage[], fetchesImage: FetchesImage): LanguageModelV4Message[] {
  return messages.map((message) => toMessage(message, messages, fetchesImage));
}

function toMessage(
  message: ChatMessage,
  conversation: readonly ChatMessage[],
  fetchesImage: FetchesImage,
): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: messageText(message) };
    case 'user':
      return { role: 'user', content: toUserParts(message, fetchesImage) };
    case 'assistant':
      return { role: 'assistant', content: [...toTextParts(message), ...toToolCallParts(message)] };
    case 'tool':
      return { role: 'tool', content: [toToolResultPart(message, conversation)] };
  }
}

function toUserParts(message: ChatMessage, fetchesImage: FetchesImage) {
  if (!Array.isArray(message.content)) return toTextParts(message);
  return message.content.map((part) =>
    part.type === 'text' ? part : toImagePart(part.image_url.url, fetchesImage(part.image_url.url)),
  );
}

/** Providers refuse empty text. */
function toTextParts(message: ChatMessage): LanguageModelV4TextPart[] {
  const text = messageText(message);
  return text === '' ? [] : [{ type: 'text', text }];
}

function toImagePart(url: string, fetched: boolean): LanguageModelV4FilePart | LanguageModelV4TextPart {
  const image = parseDataUrl(url);
  if (image !== undefined) {
    return { type: 'file', mediaType: image.mediaType, data: { type: 'data', data: image.base64 } };
  }
  if (!fetched || !URL.canParse(url)) return { type: 'text', text: leftOutImage };
  return { type: 'file', mediaType: 'image', data: { type: 'url', url: new URL(url) } };
}

function toToolCallParts({ tool_calls: calls }: ChatMessage) {
  return (calls ?? []).map(({ id, function: called }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: called.name,
    input: parseInput(called.arguments),
  }));
}

/** Arguments that a model once botched are sent as none. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

function toToolResultPart(message: ChatMessage, conversation: readonly ChatMessage[]) {
  const toolCallId = message.tool_call_id ?? '';
  const calls = conversation.flatMap(({ tool_calls: made }) => made ?? []);
  return {
    type: 'tool-result' as const,
    toolCallId,
    toolName: calls.find(({ id }) => id === toolCallId)?.function.name ?? message.name ?? '',
    output: { type: 'text' as const, value: messageText(message) },
  };
}
