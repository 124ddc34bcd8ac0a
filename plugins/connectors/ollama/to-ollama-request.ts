import { messageText, type ChatMessage, type Sampling, type ToolCall } from '@lamb/contract';
import type { ModelCall } from '@lamb/plugin-kit';
import { leftOutImage } from '../wire/left-out-image.ts';
import { parseDataUrl } from '../wire/parse-data-url.ts';

/** The body of `/api/chat`. Ollama knows no `logit_bias`, so that is left out. */
export function toOllamaRequest({ model, messages, sampling, tools }: ModelCall): Record<string, unknown> {
  const options = toOptions(sampling);
  const format = toFormat(sampling.response_format);
  const think = toThink(sampling.reasoning_effort);
  return {
    model,
    messages: messages.map((message) => toOllamaMessage(message, messages)),
    stream: true,
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(format === undefined ? {} : { format }),
    ...(think === undefined ? {} : { think }),
    ...(tools === undefined || tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
  };
}

function toOptions(sampling: Sampling): Record<string, unknown> {
  const { temperature, top_p, seed, presence_penalty, frequency_penalty, stop } = sampling;
  const options = {
    temperature,
    top_p,
    num_predict: sampling.max_completion_tokens ?? sampling.max_tokens,
    stop: typeof stop === 'string' ? [stop] : stop,
    seed,
    presence_penalty,
    frequency_penalty,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null));
}

/** `json`, or the schema that the answer must fit. */
function toFormat(format: Sampling['response_format']): unknown {
  if (format?.type === 'json_object') return 'json';
  if (format?.type !== 'json_schema') return undefined;
  const description = format['json_schema'];
  const hasSchema = typeof description === 'object' && description !== null && 'schema' in description;
  return hasSchema ? description.schema : 'json';
}

/** Sent only when asked for: models that cannot think refuse a request that mentions it. */
function toThink(effort: Sampling['reasoning_effort']): string | boolean | undefined {
  if (effort === 'none') return false;
  return effort === 'low' || effort === 'medium' || effort === 'high' ? effort : undefined;
}

function toOllamaMessage(message: ChatMessage, conversation: readonly ChatMessage[]): Record<string, unknown> {
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  const images = Array.isArray(content) ? content.flatMap((part) => (part.type === 'image_url' ? [part] : [])) : [];
  const embedded = images.flatMap((image) => parseDataUrl(image.image_url.url)?.base64 ?? []);
  // Ollama fetches nothing by itself, and we do not fetch for it: the model is told, so that it can tell the person.
  const notes = images.slice(embedded.length).map(() => leftOutImage);
  const toolName = callId === undefined ? undefined : findToolName(callId, conversation);
  return {
    role: role === 'developer' ? 'system' : role,
    content: [messageText(message), ...notes].filter((text) => text !== '').join('\n'),
    ...(embedded.length === 0 ? {} : { images: embedded }),
    ...(calls === undefined ? {} : { tool_calls: calls.map(toOllamaToolCall) }),
    ...(callId === undefined ? {} : { tool_call_id: callId }),
    ...(toolName === undefined ? {} : { tool_name: toolName }),
  };
}

function findToolName(callId: string, conversation: readonly ChatMessage[]): string | undefined {
  const calls = conversation.flatMap((message) => message.tool_calls ?? []);
  return calls.find((call) => call.id === callId)?.function.name;
}

function toOllamaToolCall({ id, function: called }: ToolCall): Record<string, unknown> {
  return { id, function: { name: called.name, arguments: parseArguments(called.arguments) } };
}

/** Ollama takes an object; arguments that a model once botched are sent as none. */
function parseArguments(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
