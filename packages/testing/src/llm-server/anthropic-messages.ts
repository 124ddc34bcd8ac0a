import type { FilledReply, FilledToolCall } from './fill-reply.ts';
import { readArray, readObject, readString } from '../http/read-json.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { WireError, WireFormat } from './wire-format.ts';

/** `POST /v1/messages` */
export const anthropicMessages: WireFormat = {
  toolCallIdPrefix: 'toolu_',
  acceptsKey: (request, key) => request.headers['x-api-key'] === key,
  findMistake(body) {
    const { model, messages, max_tokens: maxTokens } = readObject(body);
    if (readString(model) === undefined) return 'model: Field required';
    if (typeof maxTokens !== 'number') return 'max_tokens: Field required';
    if (readArray(messages).length === 0) return 'messages: at least one message is required';
    return undefined;
  },
  wantsStream: (body) => readObject(body).stream === true,

  encodeWhole(reply, request, serial) {
    return {
      ...describeMessage(request, serial),
      content: [
        ...(reply.reasoning.length > 0
          ? [{ type: 'thinking', thinking: reply.reasoning.join(''), signature: 'c2NyaXB0ZWQ=' }]
          : []),
        ...(reply.chunks.length > 0 ? [{ type: 'text', text: reply.chunks.join('') }] : []),
        ...reply.toolCalls.map(encodeToolUse),
      ],
      stop_reason: encodeStopReason(reply),
      stop_sequence: null,
      usage: encodeUsage(reply.usage?.promptTokens ?? 0, reply.usage?.completionTokens ?? 0),
    };
  },

  encodeStream(reply, request, serial) {
    const start = encodeEvent('message_start', {
      message: {
        ...describeMessage(request, serial),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: encodeUsage(reply.usage?.promptTokens ?? 0, 1),
      },
    });
    const end = encodeEvent('message_delta', {
      delta: { stop_reason: encodeStopReason(reply), stop_sequence: null },
      usage: { output_tokens: reply.usage?.completionTokens ?? 0 },
    });
    return {
      contentType: 'text/event-stream; charset=utf-8',
      head: [start, encodeEvent('ping', {})],
      chunks: listBlocks(reply).flatMap(({ block, deltas }, index) => frameBlock(index, block, deltas)),
      tail: [...(reply.finishReason === null ? [] : [end]), encodeEvent('message_stop', {})],
    };
  },

  encodeError: encodeAnthropicError,
  encodeStreamError: (error) => encodeEvent('error', encodeAnthropicError(error)),
};

interface Block {
  block: object;
  deltas: object[];
}

function listBlocks(reply: FilledReply): Block[] {
  const blocks: Block[] = [];
  if (reply.reasoning.length > 0) {
    const deltas = reply.reasoning.map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' };
    blocks.push({ block: { type: 'thinking', thinking: '', signature: '' }, deltas: [...deltas, signature] });
  }
  if (reply.chunks.length > 0) {
    const deltas = reply.chunks.map((text) => ({ type: 'text_delta', text }));
    blocks.push({ block: { type: 'text', text: '' }, deltas });
  }
  for (const call of reply.toolCalls) {
    const deltas = ['', ...call.pieces].map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
    blocks.push({ block: { ...describeToolUse(call), input: {} }, deltas });
  }
  return blocks;
}

/** A block's start travels with its first delta and its stop with the last, so that a chunk is still one piece of text. */
function frameBlock(index: number, block: object, deltas: object[]): string[] {
  const frames = deltas.map((delta) => encodeEvent('content_block_delta', { index, delta }));
  const last = frames.length - 1;
  return frames.map(
    (frame, position) =>
      (position === 0 ? encodeEvent('content_block_start', { index, content_block: block }) : '') +
      frame +
      (position === last ? encodeEvent('content_block_stop', { index }) : ''),
  );
}

function encodeEvent(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function describeMessage(request: RecordedRequest, serial: number) {
  return {
    id: `msg_${String(serial).padStart(8, '0')}`,
    type: 'message',
    role: 'assistant',
    model: readString(readObject(request.body).model) ?? '',
  };
}

function describeToolUse(call: FilledToolCall) {
  return { type: 'tool_use', ...(call.id === undefined ? {} : { id: call.id }), name: call.name };
}

function encodeToolUse(call: FilledToolCall) {
  const text = call.pieces.join('');
  let input: unknown = text;
  try {
    input = JSON.parse(text);
  } catch {
    // Kept as text: the fault that was asked for.
  }
  return { ...describeToolUse(call), input };
}

function encodeStopReason(reply: FilledReply): string | null {
  const reasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' };
  return reply.finishReason === null ? null : reasons[reply.finishReason];
}

function encodeUsage(inputTokens: number, outputTokens: number) {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}

function encodeAnthropicError(error: WireError) {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    404: 'not_found_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  const type = error.type ?? types[error.status] ?? 'api_error';
  return { type: 'error', error: { type, message: error.message }, request_id: 'req_scripted' };
}
