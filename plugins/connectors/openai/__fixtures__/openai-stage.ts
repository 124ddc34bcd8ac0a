import { messageText, Sampling, type ChatMessage } from '@lamb/contract';
import type { FunctionSpec } from '@lamb/plugin-kit';
import type { ConnectorStage, WireRequest } from '@lamb/plugin-kit/conformance';
import { startStage } from '../../wire/__fixtures__/start-stage.ts';
import { createOpenAiConnector } from '../openai.ts';

interface OpenAiBody extends Sampling {
  model: string;
  messages: ChatMessage[];
  tools?: { type: string; function: FunctionSpec }[];
}

/** The OpenAI connector with the scripted LLM server. */
export const openAiStage: ConnectorStage = {
  name: 'openai',
  features: ['provider', 'pieces', 'reasoning', 'functions', 'images'],
  sampling: Object.keys(Sampling.shape) as (keyof Sampling)[],
  readRequest: ({ body }) => readRequest(body as OpenAiBody),
  start: () => startStage(createOpenAiConnector, '/v1'),
};

function readRequest({ model, messages, tools = [], ...rest }: OpenAiBody): WireRequest {
  const question = messages.findLast(({ role }) => role === 'user')?.content;
  const parts = typeof question === 'string' ? [{ type: 'text' as const, text: question }] : (question ?? []);
  const calls = messages.flatMap(({ tool_calls: made }) => made ?? []);
  return {
    model,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(messageText)
      .join('\n'),
    question: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' '),
    images: parts.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : [])),
    sampling: Sampling.parse(rest),
    functions: tools.map((tool) => tool.function),
    calls: calls.map(({ id, function: called }) => ({
      name: called.name,
      arguments: JSON.parse(called.arguments) as unknown,
      result: messages
        .filter(({ tool_call_id: answers }) => answers === id)
        .map(messageText)
        .join('\n'),
    })),
  };
}
