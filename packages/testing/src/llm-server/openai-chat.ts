import type { FilledReply, FilledToolCall } from './fill-reply.ts';
import { encodeOpenAiError, findBearer } from './openai-error.ts';
import { readArray, readObject, readString } from '../http/read-json.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { WireFormat } from './wire-format.ts';

/** `POST /v1/chat/completions` */
export const openAiChat: WireFormat = {
  toolCallIdPrefix: 'call_',
  acceptsKey: (request, key) => findBearer(request) === key,
  findMistake(body) {
    if (readString(readObject(body).model) === undefined) return 'you must provide a model parameter';
    if (readArray(readObject(body).messages).length === 0) return "Missing required parameter: 'messages'.";
    return undefined;
  },
  wantsStream: (body) => readObject(body).stream === true,

  encodeWhole(reply, request, serial) {
    const text = reply.chunks.join('');
    const message = {
      role: 'assistant',
      content: text === '' && reply.toolCalls.length > 0 ? null : text,
      ...(reply.reasoning.length > 0 ? { reasoning_content: reply.reasoning.join('') } : {}),
      refusal: null,
      annotations: [],
      ...(reply.toolCalls.length > 0 ? { tool_calls: reply.toolCalls.map(encodeToolCall) } : {}),
    };
    return {
      ...describeCompletion('chat.completion', request, serial),
      choices: [{ index: 0, message, logprobs: null, finish_reason: reply.finishReason }],
      ...(reply.usage === null ? {} : { usage: encodeUsage(reply.usage) }),
    };
  },

  encodeStream(reply, request, serial) {
    const includeUsage = readObject(readObject(request.body).stream_options).include_usage === true;
    const common = describeCompletion('chat.completion.chunk', request, serial);
    const noUsage = includeUsage ? { usage: null } : {};
    const frame = (delta: object, finishReason: string | null = null): string =>
      encodeEvent({
        ...common,
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
        ...noUsage,
      });
    const content = reply.toolCalls.length > 0 && reply.chunks.length === 0 ? null : '';
    const tail = reply.finishReason === null ? [] : [frame({}, reply.finishReason)];
    if (includeUsage && reply.usage !== null) {
      tail.push(encodeEvent({ ...common, choices: [], usage: encodeUsage(reply.usage) }));
    }
    return {
      contentType: 'text/event-stream; charset=utf-8',
      head: [frame({ role: 'assistant', content, refusal: null })],
      chunks: [
        ...reply.reasoning.map((piece) => frame({ reasoning_content: piece })),
        ...reply.chunks.map((piece) => frame({ content: piece })),
        ...reply.toolCalls.flatMap((call, index) => splitToolCall(call, index).map((delta) => frame(delta))),
      ],
      tail: [...tail, 'data: [DONE]\n\n'],
    };
  },

  encodeError: encodeOpenAiError,
  encodeStreamError: (error) => encodeEvent(encodeOpenAiError(error)),
};

function encodeEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function describeCompletion(object: string, request: RecordedRequest, serial: number) {
  return {
    id: `chatcmpl-${String(serial).padStart(8, '0')}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: readString(readObject(request.body).model) ?? '',
    service_tier: 'default',
    system_fingerprint: 'fp_scripted',
  };
}

function encodeToolCall(call: FilledToolCall) {
  return {
    ...(call.id === undefined ? {} : { id: call.id }),
    type: 'function',
    function: { name: call.name, arguments: call.pieces.join('') },
  };
}

/** The name comes first with empty arguments, then the arguments in pieces that only the index ties together. */
function splitToolCall(call: FilledToolCall, index: number): object[] {
  const start = {
    index,
    ...(call.id === undefined ? {} : { id: call.id }),
    type: 'function',
    function: { name: call.name, arguments: '' },
  };
  const rest = call.pieces.map((piece) => ({ index, function: { arguments: piece } }));
  return [start, ...rest].map((each) => ({ tool_calls: [each] }));
}

function encodeUsage(usage: NonNullable<FilledReply['usage']>) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
