import { anthropicMessages } from './anthropic-messages.ts';
import { geminiImages } from './gemini-images.ts';
import { ollamaChat } from './ollama-chat.ts';
import { ollamaEmbed } from './ollama-embed.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiEmbeddings } from './openai-embeddings.ts';
import { openAiImages } from './openai-images.ts';
import { listOllamaModels, listOpenAiModels } from './list-models.ts';
import type { WireFormat } from './wire-format.ts';

export interface Route {
  format: WireFormat;
  /** Whether scripts without a path are for it. */
  generates: boolean;
  embeds?: boolean;
}

/** Which provider's endpoint a request is for. */
export function routeRequest(method: string, path: string, models: string[]): Route | undefined {
  if (method === 'GET' && path === '/v1/models') {
    return { format: answerWith(openAiChat, listOpenAiModels(models)), generates: false };
  }
  if (method === 'GET' && path === '/api/tags') {
    return { format: answerWith(ollamaChat, listOllamaModels(models)), generates: false };
  }
  if (method !== 'POST') return undefined;
  if (path === '/v1/chat/completions') return { format: openAiChat, generates: true };
  if (path === '/v1/messages') return { format: anthropicMessages, generates: true };
  if (path === '/v1/images/generations') return { format: openAiImages, generates: true };
  if (path === '/v1/embeddings') return { format: openAiEmbeddings, generates: false, embeds: true };
  if (path === '/api/chat') return { format: ollamaChat, generates: true };
  if (path === '/api/embed') return { format: ollamaEmbed, generates: false, embeds: true };
  if (/^\/v1beta\/models\/.+:generateContent$/.test(path)) return { format: geminiImages, generates: true };
  return undefined;
}

/** A provider's list of models has its errors and its key, but always the same answer. */
function answerWith(format: WireFormat, body: unknown): WireFormat {
  const { toolCallIdPrefix, acceptsKey, encodeError } = format;
  return {
    toolCallIdPrefix,
    acceptsKey,
    encodeError,
    findMistake: () => undefined,
    wantsStream: () => false,
    encodeWhole: () => body,
  };
}
