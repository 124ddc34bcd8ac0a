import type { ChatMessage, Sampling } from '@lamb/contract';
import { expect } from 'vitest';
import type { ModelCall } from '../define-connector.ts';
import type { ConnectorCase } from './connector-case.ts';
import type { ConnectorStage, RunningStage, WireRequest } from './connector-stage.ts';
import { completeRun, makeCall } from './run-connector.ts';

/** Whole numbers and fractions, a list, an object: whatever a parameter can be. */
const sampling = {
  temperature: 0.25,
  top_p: 0.5,
  max_tokens: 77,
  stop: ['END', '\n\n'],
  presence_penalty: 0.5,
  frequency_penalty: -0.5,
  seed: 42,
  logit_bias: { '50256': -100 },
  response_format: { type: 'json_object' },
  reasoning_effort: 'low',
} as const satisfies Sampling;

const nothing = {
  ...{ temperature: null, top_p: null, max_tokens: null, max_completion_tokens: null, stop: null, seed: null },
  ...{ presence_penalty: null, frequency_penalty: null, logit_bias: null, response_format: null },
  reasoning_effort: null,
} as const satisfies Sampling;

const redDot =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const blueDot = redDot.replace('P8z8', 'NkYP');

const weather = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** What reaches the provider. */
export const connectorRequestCases: readonly ConnectorCase[] = [
  {
    name: 'sends model, system prompt and question',
    needs: ['provider'],
    async run(stage, description) {
      const messages: ChatMessage[] = [
        { role: 'system', content: 'You are a “kind” tutor.\nAlways.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello. What would you like to know?' },
        { role: 'user', content: 'What is {context}? 😀' },
      ];
      expect(await send(stage, description, { messages })).toMatchObject({
        model: 'test-model',
        system: 'You are a “kind” tutor.\nAlways.',
        question: 'What is {context}? 😀',
      });
    },
  },
  ...(Object.keys(sampling) as (keyof typeof sampling)[]).map((name): ConnectorCase => ({
    name: `sends ${name} as it was given, where the wire has a word for it`,
    needs: ['provider'],
    async run(stage, description) {
      const given = { [name]: sampling[name] };
      const request = await send(stage, description, { sampling: given });
      expect(request.sampling).toEqual(description.sampling.includes(name) ? given : {});
    },
  })),
  {
    name: 'sends max_completion_tokens',
    needs: ['provider'],
    async run(stage, description) {
      const request = await send(stage, description, { sampling: { max_completion_tokens: 55 } });
      expect(request.sampling.max_completion_tokens ?? request.sampling.max_tokens).toBe(55);
    },
  },
  {
    name: 'leaves out parameters that are null or not given',
    needs: ['provider'],
    async run(stage, description) {
      expect((await send(stage, description, { sampling: nothing })).sampling).toEqual({});
      expect((await send(stage, description, { sampling: {} })).sampling).toEqual({});
      expect(JSON.stringify(stage.provider.requests.map(({ body }) => body))).not.toContain('null');
    },
  },
  {
    name: 'sends images as they are',
    needs: ['provider', 'images'],
    async run(stage, description) {
      const request = await send(stage, description, {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Compare these.' },
              { type: 'image_url', image_url: { url: redDot } },
              { type: 'image_url', image_url: { url: blueDot } },
            ],
          },
        ],
      });
      expect(request).toMatchObject({ question: 'Compare these.', images: [redDot, blueDot] });
    },
  },
  {
    name: 'offers functions as they were declared',
    needs: ['provider', 'functions'],
    async run(stage, description) {
      const request = await send(stage, description, { tools: [weather] });
      expect(request.functions).toEqual([weather]);
    },
  },
  {
    name: 'sends earlier function calls with their results',
    needs: ['provider', 'functions'],
    async run(stage, description) {
      const call = (id: string, city: string) =>
        ({ id, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } }) as const;
      const request = await send(stage, description, {
        tools: [weather],
        messages: [
          { role: 'user', content: 'Where is it warmer?' },
          { role: 'assistant', content: null, tool_calls: [call('call-a', 'Zürich'), call('call-b', 'Bern')] },
          { role: 'tool', tool_call_id: 'call-a', content: '21 °C' },
          { role: 'tool', tool_call_id: 'call-b', content: '19 °C' },
        ],
      });
      expect(request.calls).toEqual([
        { name: 'get_weather', arguments: { city: 'Zürich' }, result: '21 °C' },
        { name: 'get_weather', arguments: { city: 'Bern' }, result: '19 °C' },
      ]);
    },
  },
];

async function send(
  stage: RunningStage,
  description: ConnectorStage,
  changes: Partial<ModelCall>,
): Promise<WireRequest> {
  await completeRun(stage.create(), makeCall(stage, changes));
  const request = stage.provider.requests.at(-1);
  if (request === undefined) throw new Error('No request reached the provider.');
  return description.readRequest(request);
}
