import type { FilledReply, FilledToolCall } from './fill-reply.ts';
import { readObject, readString } from '../http/read-json.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { WireError, WireFormat } from './wire-format.ts';

/** `POST /api/chat` */
export const ollamaChat: WireFormat = {
  toolCallIdPrefix: 'call_',
  acceptsKey: () => true,
  findMistake(body) {
    if (readString(readObject(body).model) === undefined) return 'model is required';
    return undefined;
  },
  wantsStream: (body) => readObject(body).stream !== false,

  encodeWhole(reply, request) {
    const message = {
      role: 'assistant',
      content: reply.chunks.join(''),
      ...(reply.reasoning.length > 0 ? { thinking: reply.reasoning.join('') } : {}),
      ...(reply.toolCalls.length > 0 ? { tool_calls: reply.toolCalls.map(encodeToolCall) } : {}),
    };
    return { ...describe(request), message, ...describeEnd(reply) };
  },

  encodeStream(reply, request) {
    const frame = (message: object): string =>
      encodeLine({ ...describe(request), message: { role: 'assistant', content: '', ...message }, done: false });
    return {
      contentType: 'application/x-ndjson',
      head: [],
      chunks: [
        ...reply.reasoning.map((piece) => frame({ thinking: piece })),
        ...reply.chunks.map((piece) => frame({ content: piece })),
        ...reply.toolCalls.map((call, index) => frame({ tool_calls: [encodeToolCall(call, index)] })),
      ],
      tail:
        reply.finishReason === null
          ? []
          : [encodeLine({ ...describe(request), message: { role: 'assistant', content: '' }, ...describeEnd(reply) })],
    };
  },

  encodeError: encodeOllamaError,
  encodeStreamError: (error) => encodeLine(encodeOllamaError(error)),
};

export function encodeOllamaError(error: WireError) {
  return { error: error.message };
}

function encodeLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function describe(request: RecordedRequest) {
  return { model: readString(readObject(request.body).model) ?? '', created_at: new Date().toISOString() };
}

/** Ollama sends arguments as an object; text that is none stays text, which is the fault that was asked for. */
function encodeToolCall(call: FilledToolCall, index: number) {
  const text = call.pieces.join('');
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Kept as text.
  }
  return {
    ...(call.id === undefined ? {} : { id: call.id }),
    function: { index, name: call.name, arguments: parsed },
  };
}

function describeEnd(reply: FilledReply) {
  const reasons: Record<string, string> = { length: 'length' };
  return {
    done: true,
    ...(reply.finishReason === null ? {} : { done_reason: reasons[reply.finishReason] ?? 'stop' }),
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    ...(reply.usage === null
      ? {}
      : {
          prompt_eval_count: reply.usage.promptTokens,
          prompt_eval_duration: 1_000_000,
          eval_count: reply.usage.completionTokens,
          eval_duration: 3_000_000,
        }),
  };
}
