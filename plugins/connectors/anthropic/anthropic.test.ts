import type { FunctionSpec, ModelCall, ProviderSettings } from '@lamb/plugin-kit';
import { describeConnector, type WireRequest } from '@lamb/plugin-kit/conformance';
import { expect, test, vi } from 'vitest';
import { startStage } from '../wire/__fixtures__/start-stage.ts';
import { createAnthropicConnector } from './anthropic.ts';

interface AnthropicBody {
  model: string;
  system?: { text: string }[];
  messages: { role: string; content: AnthropicBlock[] }[];
  temperature?: number;
  top_p?: number;
  max_tokens: number;
  stop_sequences?: string[];
  thinking?: { budget_tokens: number };
  tools?: { name: string; description: string; input_schema: FunctionSpec['parameters'] }[];
}

interface AnthropicBlock {
  type: string;
  text?: string;
  source?: { media_type: string; data: string };
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: unknown;
}

describeConnector({
  name: 'anthropic',
  features: ['provider', 'pieces', 'reasoning', 'functions', 'images'],
  sampling: ['temperature', 'top_p', 'max_tokens', 'stop', 'reasoning_effort'],
  readRequest: ({ body }) => readRequest(body as AnthropicBody),
  start: () => startStage(createAnthropicConnector, '/v1'),
});

/** What the provider package asks for by itself, and what it makes of a low effort. */
const defaultMaxTokens = 4096;
const lowEffortTokens = 1024;

function readRequest(body: AnthropicBody): WireRequest {
  const blocks = body.messages.flatMap(({ content }) => content);
  const thinkingTokens = body.thinking?.budget_tokens ?? 0;
  const question = body.messages.findLast(({ role }) => role === 'user')?.content ?? [];
  return {
    model: body.model,
    system: (body.system ?? []).map(({ text }) => text).join(),
    question: question.map(({ text = '' }) => text).join(''),
    images: question.flatMap(({ source }) =>
      source === undefined ? [] : [`data:${source.media_type};base64,${source.data}`],
    ),
    sampling: {
      ...(body.temperature === undefined ? {} : { temperature: body.temperature }),
      ...(body.top_p === undefined ? {} : { top_p: body.top_p }),
      ...(body.max_tokens === defaultMaxTokens + thinkingTokens ? {} : { max_tokens: body.max_tokens }),
      ...(body.stop_sequences === undefined ? {} : { stop: body.stop_sequences }),
      ...(thinkingTokens === lowEffortTokens ? { reasoning_effort: 'low' } : {}),
    },
    functions: (body.tools ?? []).map(({ name, description, input_schema: parameters }) => ({
      name,
      description,
      parameters,
    })),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name = '', input }) => ({
        name,
        arguments: input,
        result: String(blocks.find(({ tool_use_id: answers }) => answers !== undefined && answers === id)?.content),
      })),
  };
}

test('without a key the operator’s is not used', async () => {
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-operator');
  const stage = await startStage(createAnthropicConnector, '/v1');
  const call = makeCall({ baseUrl: stage.settings.baseUrl ?? '' });
  await expect(drain(stage.create().stream(call))).rejects.toMatchObject({ code: 'provider_not_configured' });
  expect(stage.provider.requests).toEqual([]);
  await stage.stop();
  vi.unstubAllEnvs();
});

function makeCall(settings: ProviderSettings): ModelCall {
  const signal = new AbortController().signal;
  return { settings, model: 'claude', messages: [{ role: 'user', content: 'Hi' }], sampling: {}, signal };
}

async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const batch of batches) expect(batch).toBeDefined();
}
