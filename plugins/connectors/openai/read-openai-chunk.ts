import type { ModelEvent } from '@lamb/plugin-kit';
import { breakWith } from '../wire/break-with.ts';
import { parseJsonObject } from '../wire/parse-json-object.ts';

/** What a stream has said about its end so far; providers send it in pieces and in different orders. */
export interface OpenAiEnding {
  reason: string | undefined;
  usage: { readonly promptTokens: number; readonly completionTokens: number } | undefined;
}

interface OpenAiChunk {
  error?: unknown;
  choices?: readonly (OpenAiChoice | null)[] | null;
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
}

interface OpenAiChoice {
  index?: unknown;
  delta?: {
    content?: unknown;
    reasoning_content?: unknown;
    reasoning?: unknown;
    refusal?: unknown;
    tool_calls?: readonly OpenAiToolCallPiece[] | null;
  } | null;
  finish_reason?: unknown;
}

interface OpenAiToolCallPiece {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

/** Adds the events of one `chat.completion.chunk` and notes what it says about the end. */
export function readOpenAiChunk(
  data: string,
  ending: OpenAiEnding,
  events: ModelEvent[],
  apiKey: string | undefined,
): void {
  const chunk: OpenAiChunk = parseJsonObject(data);
  if (chunk.error !== undefined && chunk.error !== null) throw breakWith(chunk.error, apiKey);
  if (chunk.usage) noteUsage(chunk.usage, ending);
  const choice = chunk.choices?.[0];
  if (!choice) return;
  const delta = choice.delta;
  if (delta) {
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (typeof reasoning === 'string' && reasoning !== '') events.push({ type: 'reasoning', text: reasoning });
    if (typeof delta.content === 'string' && delta.content !== '') events.push({ type: 'text', text: delta.content });
    // A refusal takes the place of the text, and people should read it.
    if (typeof delta.refusal === 'string' && delta.refusal !== '') events.push({ type: 'text', text: delta.refusal });
    if (Array.isArray(delta.tool_calls)) readToolCalls(delta.tool_calls, events);
  }
  if (typeof choice.finish_reason === 'string') ending.reason = choice.finish_reason;
}

function noteUsage(usage: NonNullable<OpenAiChunk['usage']>, ending: OpenAiEnding): void {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return;
  ending.usage = { promptTokens, completionTokens };
}

function readToolCalls(pieces: readonly OpenAiToolCallPiece[], events: ModelEvent[]): void {
  for (const [position, { index, id, function: called }] of pieces.entries()) {
    events.push({
      type: 'tool_call',
      index: typeof index === 'number' ? index : position,
      ...(typeof id === 'string' ? { id } : {}),
      ...(typeof called?.name === 'string' ? { name: called.name } : {}),
      ...(typeof called?.arguments === 'string' ? { arguments: called.arguments } : {}),
    });
  }
}
