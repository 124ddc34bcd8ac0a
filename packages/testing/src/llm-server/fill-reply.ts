import { listTokens, type LlmReply, type LlmToolCall } from './llm-reply.ts';
import { readObject } from '../http/read-json.ts';

/** A reply with everything that the encoders need decided. */
export interface FilledReply {
  reasoning: string[];
  chunks: string[];
  /** Whether the script wrote the text itself; numbered tokens have no place beside an image. */
  wroteText: boolean;
  toolCalls: FilledToolCall[];
  images: number | undefined;
  dimensions: number | undefined;
  usage: { promptTokens: number; completionTokens: number } | null;
  finishReason: NonNullable<LlmReply['finishReason']> | null;
}

export interface FilledToolCall {
  id: string | undefined;
  name: string;
  /** The arguments as they are on the wire of a format that sends them as text, in pieces. */
  pieces: string[];
}

export function fillReply(reply: LlmReply, requestBody: unknown, idPrefix: string): FilledReply {
  const said = reply.chunks ?? (reply.text === undefined ? listTokens(reply.tokens ?? 0) : splitWords(reply.text));
  const thought = splitWords(reply.reasoning ?? '');
  // As a real one does: a chunk is a token, and who asks for at most so many gets no more.
  const limit = findLimit(requestBody);
  const reasoning = thought.slice(0, limit);
  const chunks = said.slice(0, limit - reasoning.length);
  const isCut = chunks.length < said.length;
  const toolCalls = (reply.toolCalls ?? []).map((call, index) => fillToolCall(call, index, reply, idPrefix));
  const pieces = toolCalls.reduce((sum, call) => sum + call.pieces.length, 0);
  const counted = {
    promptTokens: countWords(requestBody),
    completionTokens: reasoning.length + chunks.length + pieces,
  };
  return {
    reasoning,
    chunks,
    wroteText: reply.text !== undefined || reply.chunks !== undefined,
    toolCalls,
    images: reply.images,
    dimensions: reply.dimensions,
    usage: reply.usage === undefined ? counted : reply.usage,
    finishReason:
      reply.finishReason === undefined
        ? toolCalls.length > 0
          ? 'tool_calls'
          : isCut
            ? 'length'
            : 'stop'
        : reply.finishReason,
  };
}

/** How many tokens the answer may have, in whichever provider's words. */
function findLimit(body: unknown): number {
  const { max_completion_tokens: newer, max_tokens: older, options, generationConfig } = readObject(body);
  const named = [newer, older, readObject(options)['num_predict'], readObject(generationConfig)['maxOutputTokens']];
  return (named.find((limit) => typeof limit === 'number' && limit >= 0) as number | undefined) ?? Infinity;
}

function fillToolCall(call: LlmToolCall, index: number, reply: LlmReply, idPrefix: string): FilledToolCall {
  const whole = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const text = reply.faults?.truncateToolArguments === true ? whole.slice(0, Math.ceil(whole.length / 2)) : whole;
  const ids = { missing: undefined, duplicate: `${idPrefix}1` };
  const fault = reply.faults?.toolCallIds;
  return {
    id: fault === undefined ? (call.id ?? `${idPrefix}${index + 1}`) : ids[fault],
    name: call.name,
    pieces: text.match(/.{1,7}/gsu) ?? [],
  };
}

function splitWords(text: string): string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

/** The words of the conversation, a stand-in for its tokens. */
function countWords(body: unknown): number {
  const { messages, contents, prompt, system } = readObject(body);
  return countIn([messages, contents, prompt, system]);
}

function countIn(value: unknown): number {
  if (typeof value === 'string') return value.match(/\S+/gu)?.length ?? 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, each]) => (key === 'role' || key === 'type' ? sum : sum + countIn(each)),
    0,
  );
}
