import { AppError } from '@lamb/contract';
import type { ModelEvent } from '@lamb/plugin-kit';
import { parseJsonObject } from '../wire/parse-json-object.ts';
import type { WireReader } from '../wire/wire-reader.ts';

interface GeminiResponse {
  candidates?: readonly GeminiCandidate[] | null;
  promptFeedback?: { blockReason?: unknown } | null;
  usageMetadata?: {
    promptTokenCount?: unknown;
    candidatesTokenCount?: unknown;
    thoughtsTokenCount?: unknown;
  } | null;
}

interface GeminiCandidate {
  content?: { parts?: readonly GeminiPart[] | null } | null;
  finishReason?: unknown;
  finishMessage?: unknown;
}

interface GeminiPart {
  text?: unknown;
  thought?: unknown;
  inlineData?: { mimeType?: unknown; data?: unknown } | null;
}

/** Several images of the largest size. */
const longestBody = 96 * 1024 * 1024;

/** Reads the answer of `generateContent`, which comes in one piece: its text, then its images as markdown. */
export function createGeminiReader(): WireReader {
  const pieces: Buffer[] = [];
  let length = 0;
  return {
    read(bytes) {
      pieces.push(bytes);
      length += bytes.length;
      if (length > longestBody) throw new AppError('provider_stream_broken');
    },
    end(events) {
      readResponse(parseJsonObject(Buffer.concat(pieces).toString('utf8')), events);
    },
  };
}

function readResponse(response: GeminiResponse, events: ModelEvent[]): void {
  const candidate = response.candidates?.[0];
  const parts = candidate?.content?.parts ?? [];
  const thoughts = parts.filter((part) => part.thought === true).map(textOf);
  const answer = parts.filter((part) => part.thought !== true);
  const text = [...answer.map(textOf), ...answer.map(imageOf)].filter((part) => part !== '').join('\n\n');
  if (text === '') throw refuse(response, candidate);
  const reasoning = thoughts.join('');
  if (reasoning !== '') events.push({ type: 'reasoning', text: reasoning });
  events.push({ type: 'text', text });
  const usage = readUsage(response.usageMetadata ?? {});
  if (usage !== undefined) events.push(usage);
  events.push({ type: 'finish', reason: toReason(candidate?.finishReason) });
}

function textOf(part: GeminiPart): string {
  return typeof part.text === 'string' ? part.text : '';
}

function imageOf({ inlineData }: GeminiPart): string {
  if (typeof inlineData?.mimeType !== 'string' || typeof inlineData.data !== 'string') return '';
  return `![Generated image](data:${inlineData.mimeType};base64,${inlineData.data})`;
}

/** An answer without text and image is how Gemini says that it will not draw this. */
function refuse({ promptFeedback }: GeminiResponse, candidate: GeminiCandidate | undefined): AppError {
  const reasons = [candidate?.finishMessage, promptFeedback?.blockReason, candidate?.finishReason];
  const reason = reasons.find((given) => typeof given === 'string');
  if (reason === undefined) return new AppError('provider_stream_broken');
  return new AppError('provider_rejected', {
    message: `The model provider gave no image: ${reason}`,
    details: { provider_message: reason },
  });
}

function readUsage(usage: NonNullable<GeminiResponse['usageMetadata']>): ModelEvent | undefined {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = usage;
  if (typeof promptTokenCount !== 'number') return undefined;
  const completionTokens = [candidatesTokenCount, thoughtsTokenCount].filter((count) => typeof count === 'number');
  return {
    type: 'usage',
    promptTokens: promptTokenCount,
    completionTokens: completionTokens.reduce((sum, count) => sum + count, 0),
  };
}

function toReason(reason: unknown): string {
  if (reason === 'MAX_TOKENS') return 'length';
  return reason === 'STOP' || typeof reason !== 'string' ? 'stop' : 'content_filter';
}
