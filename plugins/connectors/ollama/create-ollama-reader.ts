import { randomUUID } from 'node:crypto';
import { AppError } from '@lamb/contract';
import type { ModelEvent } from '@lamb/plugin-kit';
import { createUtf8Decoder } from '../wire/create-utf8-decoder.ts';
import { breakWith } from '../wire/break-with.ts';
import { parseJsonObject } from '../wire/parse-json-object.ts';
import type { WireReader } from '../wire/wire-reader.ts';

interface OllamaLine {
  error?: unknown;
  message?: {
    content?: unknown;
    thinking?: unknown;
    tool_calls?: readonly OllamaToolCall[] | null;
  } | null;
  done?: unknown;
  done_reason?: unknown;
  prompt_eval_count?: unknown;
  eval_count?: unknown;
}

interface OllamaToolCall {
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

/** Far above any line that makes sense, a megabyte of tool arguments included. */
const longestLine = 8 * 1024 * 1024;

/** Reads the lines of `/api/chat`, each a JSON object. The key is kept out of error messages. */
export function createOllamaReader(apiKey: string | undefined): WireReader {
  const decode = createUtf8Decoder();
  let rest = '';
  let toolCalls = 0;
  let done = false;

  function readLine(line: string, events: ModelEvent[]): void {
    if (done || line.trim() === '') return;
    const parsed: OllamaLine = parseJsonObject(line);
    if (parsed.error !== undefined) throw breakWith(parsed.error, apiKey);
    const { thinking, content, tool_calls: calls } = parsed.message ?? {};
    if (typeof thinking === 'string' && thinking !== '') events.push({ type: 'reasoning', text: thinking });
    if (typeof content === 'string' && content !== '') events.push({ type: 'text', text: content });
    if (Array.isArray(calls)) calls.forEach((call: OllamaToolCall) => events.push(readToolCall(call)));
    if (parsed.done === true) finish(parsed, events);
  }

  /** A call comes whole, with its arguments as an object and, from older servers, without an id. */
  function readToolCall({ id, function: called }: OllamaToolCall): ModelEvent {
    const given = called?.arguments ?? {};
    return {
      type: 'tool_call',
      index: toolCalls++,
      id: typeof id === 'string' && id !== '' ? id : `call_${randomUUID()}`,
      name: typeof called?.name === 'string' ? called.name : '',
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    };
  }

  function finish(last: OllamaLine, events: ModelEvent[]): void {
    done = true;
    const { done_reason: reason, prompt_eval_count: promptTokens, eval_count: completionTokens } = last;
    // Ollama leaves a count out when it is zero or when the prompt came from its cache.
    if (typeof promptTokens === 'number' || typeof completionTokens === 'number') {
      events.push({ type: 'usage', promptTokens: countOf(promptTokens), completionTokens: countOf(completionTokens) });
    }
    if (toolCalls > 0) events.push({ type: 'finish', reason: 'tool_calls' });
    else events.push({ type: 'finish', reason: reason === 'length' ? 'length' : 'stop' });
  }

  return {
    read(bytes, events) {
      const lines = (rest + decode(bytes)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) throw new AppError('provider_stream_broken');
      for (const line of lines) readLine(line, events);
    },
    end(events) {
      readLine(rest, events);
      if (!done) throw new AppError('provider_stream_broken');
    },
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
