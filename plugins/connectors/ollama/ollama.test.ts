import type { Sampling } from '@lamb/contract';
import type { FunctionSpec } from '@lamb/plugin-kit';
import { describeConnector, type WireRequest } from '@lamb/plugin-kit/conformance';
import { startStage } from '../wire/__fixtures__/start-stage.ts';
import { createOllamaConnector } from './ollama.ts';

interface OllamaBody {
  model: string;
  messages: {
    role: string;
    content: string;
    images?: string[];
    tool_calls?: { id: string; function: { name: string; arguments: unknown } }[];
    tool_call_id?: string;
    tool_name?: string;
  }[];
  options?: Sampling & { num_predict?: number };
  format?: 'json';
  think?: string;
  tools?: { type: string; function: FunctionSpec }[];
}

describeConnector({
  name: 'ollama',
  features: ['provider', 'pieces', 'reasoning', 'functions', 'images'],
  sampling: [
    ...(['temperature', 'top_p', 'max_tokens', 'stop', 'seed', 'presence_penalty', 'frequency_penalty'] as const),
    ...(['response_format', 'reasoning_effort'] as const),
  ],
  readRequest: ({ body }) => readRequest(body as OllamaBody),
  start: () => startStage(createOllamaConnector, ''),
});

function readRequest({ model, messages, options = {}, format, think, tools = [] }: OllamaBody): WireRequest {
  const question = messages.findLast(({ role }) => role === 'user');
  const { num_predict: maxTokens, ...rest } = options;
  return {
    model,
    system: String(messages.find(({ role }) => role === 'system')?.content),
    question: question?.content ?? '',
    images: (question?.images ?? []).map((image) => `data:image/png;base64,${image}`),
    sampling: {
      ...rest,
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
      ...(format === undefined ? {} : { response_format: { type: `${format}_object` } }),
      ...(think === undefined ? {} : { reasoning_effort: think }),
    },
    functions: tools.map((tool) => tool.function),
    calls: messages
      .flatMap(({ tool_calls: made }) => made ?? [])
      .map(({ id, function: called }) => ({
        name: called.name,
        arguments: called.arguments,
        result: String(
          messages.find(({ tool_call_id: answers, tool_name: name }) => answers === id && name === called.name)
            ?.content,
        ),
      })),
  };
}
