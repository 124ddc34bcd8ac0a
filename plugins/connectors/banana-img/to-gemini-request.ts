import { messageText, type ChatMessage, type Sampling } from '@lamb/contract';
import type { ModelCall } from '@lamb/plugin-kit';
import { leftOutImage } from '../wire/left-out-image.ts';
import { parseDataUrl } from '../wire/parse-data-url.ts';

interface GeminiPart {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
}

interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly GeminiPart[];
}

/** As this connector writes an image into its answer. */
const writtenImage = /!\[[^\]]{0,200}\]\((data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=]+)\)/gu;

/** The body of `generateContent` that asks for text and images. Messages of tools have no place there and are left out. */
export function toGeminiRequest({ messages, sampling }: ModelCall): Record<string, unknown> {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer').map(messageText);
  return {
    contents: toContents(messages),
    ...(system.length === 0 ? {} : { systemInstruction: { parts: [{ text: system.join('\n\n') }] } }),
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], ...toGenerationConfig(sampling) },
  };
}

function toGenerationConfig(sampling: Sampling): Record<string, unknown> {
  const { temperature, stop, seed } = sampling;
  const config = {
    temperature,
    topP: sampling.top_p,
    maxOutputTokens: sampling.max_completion_tokens ?? sampling.max_tokens,
    stopSequences: typeof stop === 'string' ? [stop] : stop,
    seed,
    presencePenalty: sampling.presence_penalty,
    frequencyPenalty: sampling.frequency_penalty,
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined && value !== null));
}

/**
 * An image that an earlier answer holds goes out as an image of the message that follows it: as text it would be a
 * million tokens, and “make it blue” is about that image.
 */
function toContents(messages: readonly ChatMessage[]): GeminiContent[] {
  const contents: GeminiContent[] = [];
  let earlier: GeminiPart[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      const text = messageText(message);
      earlier.push(...[...text.matchAll(writtenImage)].map(([, url]) => toImagePart(url ?? '')));
      addContent(contents, 'model', [{ text: text.replaceAll(writtenImage, '[image]') }]);
    } else if (message.role === 'user') {
      addContent(contents, 'user', [...earlier, ...toParts(message)]);
      earlier = [];
    }
  }
  return contents;
}

function addContent(contents: GeminiContent[], role: GeminiContent['role'], parts: readonly GeminiPart[]): void {
  const filled = parts.filter((part) => part.text !== '');
  if (filled.length > 0) contents.push({ role, parts: filled });
}

function toParts({ content }: ChatMessage): GeminiPart[] {
  if (!Array.isArray(content)) return [{ text: content ?? '' }];
  return content.map((part) => (part.type === 'text' ? { text: part.text } : toImagePart(part.image_url.url)));
}

function toImagePart(url: string): GeminiPart {
  const image = parseDataUrl(url);
  return image === undefined
    ? { text: leftOutImage }
    : { inlineData: { mimeType: image.mediaType, data: image.base64 } };
}
